/** A scenario: an inspection, and the behaviour of the service for it. */

/** @typedef {import("./inspection.js").Inspection} Inspection */
/** @typedef {import("./operation.js").Operation} Operation */
/** @typedef {import("./random.js").Random} Random */

/**
 * A request.
 * @typedef {object} Visit
 * @property {Operation} operation
 * @property {Headers} headers of the request
 * @property {number} count the number of requests for this address since the last reset, including this one
 * @property {Inspection} inspection
 * @property {Random} random depends on the seed, the address and the count only
 * @property {() => Response} truth the correct response
 */

/**
 * @typedef {object} Scenario
 * @property {Inspection} [inspection] undefined for an unknown key
 * @property {(visit: Visit) => number} [latency] milliseconds before the response; none by default
 * @property {(visit: Visit) => Response} [answer] the correct response by default
 */

/**
 * A JSON response.
 * @param {unknown} content
 * @param {{ status?: number, headers?: Record<string, string> }} [init]
 */
export function json(content, { status = 200, headers = {} } = {}) {
  return rawJson(JSON.stringify(content), { status, headers });
}

/**
 * A response with the content type of JSON, whatever its body.
 * @param {string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @param {{ status?: number, headers?: Record<string, string> }} [init]
 */
export function rawJson(body, { status = 200, headers = {} } = {}) {
  return new Response(body, { status, headers: { "content-type": "application/json; charset=utf-8", ...headers } });
}

/**
 * An error response with messages.
 * @param {number} status
 * @param {string} message
 * @param {Record<string, string>} [headers]
 */
export function refusal(status, message, headers) {
  return json({ errors: [message] }, { status, headers });
}
