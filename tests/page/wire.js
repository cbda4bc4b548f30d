/** A wire: a `fetch` in memory, whose responses a test controls, and which records each request. */

import { readOperation } from "../wire/service/operation.js";
import { countsOf, findingsOf } from "./inspection.js";

/**
 * A request on the wire.
 * @typedef {object} Asked
 * @property {string} path from `Findings` on
 * @property {string} inspectionKey
 * @property {import("inspection-findings").FindingKind} [kind] undefined for the counts
 * @property {number} index of the partition; −1 for the counts
 * @property {number} count the number of requests for this path on this wire, including this one
 * @property {Request} request what `fetch` got beside the address: a request in the service worker, otherwise its members
 * @property {AbortSignal} signal
 * @property {Headers} headers
 * @property {"open" | "responded" | "failed" | "cancelled"} state
 * @property {(value?: unknown) => void} release sends the response of a held request
 * @property {Promise<unknown>} released
 */

/**
 * @typedef {object} Inspection
 * @property {number} [partitions] of each kind
 * @property {unknown} [counts] the counts response, if it shall not match the partitions
 * @property {(index: number) => object[]} [findings] of a partition
 * @property {(asked: Asked) => boolean} [holds] whether a request is held until the test releases it
 * @property {(asked: Asked) => unknown} [respond] a response, or a promise of one, in place of what a service that is well would say; what it throws is what `fetch` rejects with
 */

/**
 * A response whose body is complete at once.
 * @param {unknown} body
 * @param {{ status?: number, type?: string, headers?: Record<string, string> }} [init]
 */
export function responseOf(body, { status = 200, type = "default", headers = {} } = {}) {
  const { buffer } = new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
  return { status, type, headers: new Headers(headers), arrayBuffer: async () => buffer };
}

/**
 * A refusal with messages of the service.
 * @param {number} status
 * @param {{ type?: string, headers?: Record<string, string> }} [init]
 */
export function refused(status, init) {
  return responseOf({ errors: [`Refused with ${status}.`] }, { status, ...init });
}

/** The browser's timer, also in a test with a fake clock. */
const { setTimeout } = globalThis;

/** Waits until nothing continues without a response, or unless time passes. */
export async function quiet() {
  for (let turn = 0; turn < 10; turn++) {
    const { port1, port2 } = new MessageChannel();
    await new Promise((resolve) => {
      port1.onmessage = resolve;
      port2.postMessage(undefined);
    });
    port1.close();
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** The wire of one test. */
export class Wire {
  /** The most requests in flight at the same time. */
  most = 0;

  #inspection;
  #responseOf;

  /**
   * @param {Inspection} [inspection]
   * @param {object} [parts]
   * @param {Asked[]} [parts.asked] every request, in their order
   * @param {(body: unknown) => unknown} [parts.responseOf] how a service that is well responds
   */
  constructor(
    {
      partitions = 3,
      counts = countsOf(partitions),
      findings = findingsOf,
      holds = () => false,
      respond = () => {},
    } = {},
    { asked = [], responseOf: make = responseOf } = {},
  ) {
    this.#inspection = { counts, findings, holds, respond };
    this.#responseOf = make;
    this.asked = asked;
  }

  /** The requests in flight. */
  get open() {
    return this.asked.filter(({ state }) => state === "open");
  }

  /** The cancelled requests. */
  get cancelled() {
    return this.asked.filter(({ state }) => state === "cancelled");
  }

  /** The requested indexes, in the order of the requests; −1 for the counts. */
  get indexes() {
    return this.asked.map(({ index }) => index);
  }

  /** The requested indexes of partitions. */
  get requested() {
    return this.indexes.filter((index) => index >= 0);
  }

  /** Releases the held requests for a partition. @param {number} index */
  release(index) {
    const held = this.asked.filter((asked) => asked.index === index);
    if (held.length === 0) throw new Error(`partition ${index} was not requested`);
    for (const { release } of held) release();
  }

  /** The option `fetch`. */
  fetch = /** @type {(href: string, init: RequestInit) => Promise<any>} */ (
    async (/** @type {string} */ href, /** @type {any} */ init) => {
      const asked = this.#note(href, init);
      try {
        const response = await unlessAborted(init.signal, async () => {
          if (this.#inspection.holds(asked)) await asked.released;
          return this.#inspection.respond(asked);
        });
        end(asked, "responded");
        return response ?? this.#responseOf(this.#bodyFor(asked));
      } catch (cause) {
        end(asked, "failed");
        throw cause;
      }
    }
  );

  /** @param {Asked} asked */
  #bodyFor({ index }) {
    const { counts, findings } = this.#inspection;
    return index < 0 ? counts : { Findings: findings(index), errors: null };
  }

  /** @param {string} href @param {Request} request */
  #note(href, request) {
    const { signal, headers } = request;
    const path = href.slice(href.indexOf("Findings"));
    const { inspectionKey = "", partition } = readOperation(path) ?? {};
    const count = this.asked.filter((earlier) => earlier.path === path).length + 1;
    const { promise: released, resolve: release } = Promise.withResolvers();
    const about = { path, inspectionKey, kind: partition?.kind, index: partition?.index ?? -1 };
    /** @type {Asked} */
    const asked = { ...about, count, request, signal, headers, state: "open", release, released };
    signal.addEventListener("abort", () => end(asked, "cancelled"));
    this.asked.push(asked);
    this.most = Math.max(this.most, this.open.length);
    return asked;
  }
}

/**
 * Settles as the response does, or rejects when the request is aborted.
 * @param {AbortSignal} signal
 * @param {() => Promise<unknown>} respond
 */
function unlessAborted(signal, respond) {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    respond().then(resolve, reject);
  });
}

/** @param {Asked} asked @param {Asked["state"]} state */
function end(asked, state) {
  if (asked.state === "open") asked.state = state;
}
