/** A scenario: an inspection, and how the service behaves when it is asked for it. */

/** @typedef {import("./inspection.js").Inspection} Inspection */
/** @typedef {import("./operation.js").Operation} Operation */
/** @typedef {import("./random.js").Random} Random */

/**
 * One request, as a scenario sees it.
 * @typedef {object} Visit
 * @property {Operation} operation
 * @property {Headers} headers of the request
 * @property {number} count how many times this very address was asked for since the last reset, this time included
 * @property {Inspection} inspection
 * @property {Random} random depends on the seed, the address and the count, and on nothing else
 * @property {() => Response} truth the answer of a service that is well
 */

/**
 * @typedef {object} Scenario
 * @property {Inspection} [inspection] left out: the service knows none of that key
 * @property {(visit: Visit) => number} [latency] milliseconds before the answer; left out: none
 * @property {(visit: Visit) => Response} [answer] left out: the truth
 */

/**
 * A JSON answer.
 * @param {unknown} content
 * @param {{ status?: number, headers?: Record<string, string> }} [init]
 */
export function json(content, { status = 200, headers = {} } = {}) {
  return rawJson(JSON.stringify(content), { status, headers });
}

/**
 * An answer that says it is JSON, whatever its body is.
 * @param {string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @param {{ status?: number, headers?: Record<string, string> }} [init]
 */
export function rawJson(body, { status = 200, headers = {} } = {}) {
  return new Response(body, { status, headers: { "content-type": "application/json; charset=utf-8", ...headers } });
}

/**
 * A refusal with the service's own words.
 * @param {number} status
 * @param {string} message
 * @param {Record<string, string>} [headers]
 */
export function refusal(status, message, headers) {
  return json({ errors: [message] }, { status, headers });
}
