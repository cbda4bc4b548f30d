/** The worker that makes bodies, and transfers each without a copy. */

import { BodyWriter } from "./body-writer.js";

/** The size of a part of a body, in bytes. A stream copies its parts, and a larger one would block the page for too long. */
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
