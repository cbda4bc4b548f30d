/** The workshop of bodies: makes one after the other in a worker of its own, and gives each away without a copy. */

import { BodyWriter } from "./body-writer.js";

/** How large a part of a body is: more at once would keep the page busy for too long, as a stream copies what it hands on. */
const partSize = 512 * 1024;

const writer = new BodyWriter();

addEventListener("message", (event) => {
  /** @type {import("./body-workshop.js").Order} */
  const { id, which } = event.data;
  const parts = inParts(writer.write(which));
  postMessage(/** @satisfies {import("./body-workshop.js").Delivery} */ ({ id, parts }), { transfer: parts });
});

/** @param {Uint8Array<ArrayBuffer>} body */
function inParts({ buffer, byteLength }) {
  return Array.from({ length: Math.ceil(byteLength / partSize) }, (_, index) =>
    buffer.slice(index * partSize, (index + 1) * partSize),
  );
}
