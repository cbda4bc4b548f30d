/** The worker that runs the service, and transfers each body without a copy. */

import { dialledOptions } from "./dialled.js";
import { KeyedService } from "./service.js";

/** @typedef {import("./body-workshop.js").Delivery} Delivery */
/** @typedef {import("./body-workshop.js").Order} Order */

/** The size of a part of a body, in bytes. A stream copies its parts, and a larger one would block the page for too long. */
const partSize = 512 * 1024;

/** The most services to remember: a page asks the latest, or the one before it. */
const mostServices = 8;

/** @type {Map<number, KeyedService>} the oldest first */
const services = new Map();

addEventListener("message", async (event) => {
  /** @type {Order} */
  const { id, request, ...order } = event.data;
  const { href, ...init } = request;
  const response = await serviceOf(order).respond(new Request(href, init));
  if (response.type === "error") {
    postMessage(/** @satisfies {Delivery} */ ({ id, response: undefined }));
    return;
  }
  const parts = inParts(await response.arrayBuffer());
  const { status, headers } = response;
  const delivery = { id, response: { status, headers: [...headers], parts } };
  postMessage(/** @satisfies {Delivery} */ (delivery), { transfer: parts });
});

/** @param {Omit<Order, "id" | "request">} order */
function serviceOf({ service: number, baseUrl, settings }) {
  const optionsOf = settings === undefined ? undefined : () => dialledOptions(settings);
  const service = services.get(number) ?? new KeyedService({ baseUrl, optionsOf });
  services.set(number, service);
  const [oldest] = services.keys();
  if (services.size > mostServices) {
    services.delete(oldest);
  }
  return service;
}

/** @param {ArrayBuffer} body */
function inParts(body) {
  return Array.from({ length: Math.ceil(body.byteLength / partSize) }, (_, index) =>
    body.slice(index * partSize, (index + 1) * partSize),
  );
}
