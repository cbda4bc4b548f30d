/** The service in a worker, so that the page's main thread stays free. */

/** @typedef {import("./settings.js").Settings} Settings */

/**
 * A request for the worker.
 * @typedef {object} Order
 * @property {number} id
 * @property {number} service the number of the service, each of which has its own state
 * @property {string} baseUrl of the service
 * @property {Settings | undefined} settings of the service; undefined for the scenario of each inspection key
 * @property {{ href: string, method: string, headers: [string, string][] }} request
 */

/**
 * A response of the worker, with the body in parts that are small enough to be copied quickly.
 * @typedef {object} Delivery
 * @property {number} id
 * @property {{ status: number, headers: [string, string][], parts: ArrayBuffer[] } | undefined} response undefined for a network error
 */

export class BodyWorkshop {
  /** @type {Worker | undefined} started for the first request */
  #worker;
  /** @type {Map<number, PromiseWithResolvers<Delivery["response"]>>} */
  #orders = new Map();
  #count = 0;
  #services = 0;

  /**
   * A service whose responses the worker makes.
   * @param {object} parts
   * @param {string | URL} parts.baseUrl
   * @param {Settings} [parts.settings] without them the inspection key determines the scenario
   * @returns {{ respond(request: Request): Promise<Response> }}
   */
  service({ baseUrl, settings }) {
    const service = this.#services++;
    return {
      respond: async ({ url, method, headers }) => {
        const request = { href: url, method, headers: [...headers] };
        const response = await this.#order({ service, baseUrl: String(baseUrl), settings, request });
        if (response === undefined) {
          return Response.error();
        }
        const { status, headers: given, parts } = response;
        return new Response(streamOf(parts), { status, headers: given });
      },
    };
  }

  /** @param {Omit<Order, "id">} order */
  #order(order) {
    const id = this.#count++;
    /** @type {PromiseWithResolvers<Delivery["response"]>} */
    const delivered = Promise.withResolvers();
    this.#orders.set(id, delivered);
    this.#worker ??= this.#start();
    this.#worker.postMessage(/** @satisfies {Order} */ ({ id, ...order }));
    return delivered.promise;
  }

  #start() {
    const worker = new Worker(new URL("./body-workshop-worker.js", import.meta.url), {
      type: "module",
      name: "bodies",
    });
    worker.addEventListener("message", (event) => this.#deliver(event.data));
    worker.addEventListener("error", () => this.#giveUp());
    return worker;
  }

  /** @param {Delivery} delivery */
  #deliver({ id, response }) {
    this.#orders.get(id)?.resolve(response);
    this.#orders.delete(id);
  }

  /** Rejects all waiting requests; the next one starts another worker. */
  #giveUp() {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const order of this.#orders.values()) {
      order.reject(new Error("The worker that makes the bodies has failed."));
    }
    this.#orders.clear();
  }
}

/**
 * @param {ArrayBuffer[]} parts
 * @returns {ReadableStream<Uint8Array<ArrayBuffer>>}
 */
function streamOf(parts) {
  return new ReadableStream(
    {
      pull(controller) {
        const part = parts.shift();
        if (part === undefined) {
          controller.close();
        } else {
          controller.enqueue(new Uint8Array(part));
        }
      },
    },
    { highWaterMark: 0 },
  );
}
