/** The bodies of partitions, made in a worker, so that the page's main thread stays free. */

/** @typedef {import("./findings.js").FindingKind} FindingKind */
/** @typedef {import("./findings.js").Which} Which */
/** @typedef {{ id: number, which: Which }} Order */
/** @typedef {{ id: number, parts: ArrayBuffer[] }} Delivery the body in parts that are small enough to be copied quickly */

export class BodyWorkshop {
  /** @type {Worker | undefined} started for the first body */
  #worker;
  /** @type {Map<number, PromiseWithResolvers<ArrayBuffer[]>>} */
  #orders = new Map();
  #count = 0;

  /**
   * The bodies of a seed, byte for byte those of `Bodies`. None is cached, and none is made before it is read.
   * @param {number} seed
   * @returns {import("./service.js").Bodies}
   */
  bodies(seed) {
    return {
      body: (inspectionKey, kind, partitionIndex, count) =>
        this.#stream({ seed, inspectionKey, kind, partitionIndex, count }),
    };
  }

  /** @param {Which} which */
  #stream(which) {
    /** @type {ArrayBuffer[] | undefined} */
    let parts;
    /** @type {UnderlyingDefaultSource<Uint8Array<ArrayBuffer>>} */
    const source = {
      pull: async (controller) => {
        parts ??= await this.#order(which);
        const part = parts.shift();
        if (part === undefined) {
          controller.close();
        } else {
          controller.enqueue(new Uint8Array(part));
        }
      },
    };
    // Makes no body before it is read.
    return new ReadableStream(source, { highWaterMark: 0 });
  }

  /** @param {Which} which */
  #order(which) {
    const id = this.#count++;
    /** @type {PromiseWithResolvers<ArrayBuffer[]>} */
    const order = Promise.withResolvers();
    this.#orders.set(id, order);
    this.#worker ??= this.#start();
    this.#worker.postMessage(/** @satisfies {Order} */ ({ id, which }));
    return order.promise;
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
  #deliver({ id, parts }) {
    this.#orders.get(id)?.resolve(parts);
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
