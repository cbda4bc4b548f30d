/** The traffic of a client: its requests, each recorded from its call to the end of its body. */

/**
 * @typedef {object} Trip
 * @property {string} href
 * @property {string} path from `Findings` on
 * @property {RequestInit & { signal: AbortSignal }} init
 * @property {number} at when it was called, in milliseconds since the page began
 * @property {number} arrived the number of parts received: the headers, and each piece of the body
 * @property {"open" | "read" | "failed" | "cancelled"} state
 */

/** The global `fetch`, watched. */
export class Traffic {
  /** @type {Trip[]} */
  trips = [];

  /** The most requests in flight at the same time. */
  most = 0;

  #send;

  /** @param {(href: string, init: any) => Promise<Response>} [send] */
  constructor(send = (href, init) => fetch(href, init)) {
    this.#send = send;
  }

  /** The number of requests in flight. */
  get open() {
    return this.trips.filter(({ state }) => state === "open").length;
  }

  /** The option `fetch`. */
  fetch = async (/** @type {string} */ href, /** @type {any} */ init) => {
    /** @type {Trip} */
    const trip = {
      href,
      path: href.slice(href.indexOf("Findings")),
      init,
      at: performance.now(),
      arrived: 0,
      state: "open",
    };
    this.trips.push(trip);
    this.most = Math.max(this.most, this.open);
    init.signal.addEventListener("abort", () => end(trip, "cancelled"));
    try {
      return /** @type {Response} */ (/** @type {unknown} */ (watched(await this.#send(href, init), trip)));
    } catch (cause) {
      end(trip, "failed");
      throw cause;
    }
  };
}

/**
 * @param {Response} response
 * @param {Trip} trip
 */
function watched({ status, type, headers, body }, trip) {
  trip.arrived += 1;
  return {
    status,
    type,
    headers,
    body: body && {
      getReader() {
        const reader = body.getReader();
        return {
          async read() {
            const result = await reader.read().catch((cause) => {
              end(trip, "failed");
              throw cause;
            });
            trip.arrived += 1;
            if (result.done) {
              end(trip, "read");
            }
            return result;
          },
          cancel(/** @type {unknown} */ reason) {
            end(trip, "cancelled");
            return reader.cancel(reason);
          },
        };
      },
    },
  };
}

/**
 * @param {Trip} trip
 * @param {Trip["state"]} state
 */
function end(trip, state) {
  if (trip.state === "open") {
    trip.state = state;
  }
}
