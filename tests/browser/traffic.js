/** The traffic of a client: its requests, each recorded from its call to the end of its body. */

/**
 * @typedef {object} Trip
 * @property {string} href
 * @property {string} path from `Findings` on
 * @property {RequestInit & { signal: AbortSignal }} init
 * @property {"open" | "read" | "failed" | "cancelled"} state
 */

/** The global `fetch`, watched. */
export class Traffic {
  /** @type {Trip[]} */
  trips = [];

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
      state: "open",
    };
    this.trips.push(trip);
    init.signal.addEventListener("abort", () => end(trip, "cancelled"));
    try {
      return /** @type {Response} */ (/** @type {unknown} */ (watched(await this.#send(href, init), trip)));
    } catch (cause) {
      end(trip, "failed");
      throw cause;
    }
  };
}

/** @param {Response} response @param {Trip} trip */
function watched({ status, type, headers, body }, trip) {
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
            if (result.done) end(trip, "read");
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

/** @param {Trip} trip @param {Trip["state"]} state */
function end(trip, state) {
  if (trip.state === "open") trip.state = state;
}
