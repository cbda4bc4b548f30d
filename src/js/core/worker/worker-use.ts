// A call's use of a worker.

import type { KeptBody } from "./body.js";
import type { Exchange } from "./exchange.js";
import { type Decoded, joinPool, notDecoded, type PooledWorker } from "./pool.js";
import type { PackingOptions, WorkerInit } from "./protocol.js";

/** A call's use of a worker. */
export class WorkerUse {
  readonly #insists: boolean;
  readonly #module: WebAssembly.Module;
  readonly #options: PackingOptions;
  readonly #init: WorkerInit | undefined;
  readonly #limit: number;
  #worker: PooledWorker | undefined;

  /**
   * Starts the worker unless it runs. A call that insists on a worker fails without one.
   *
   * @param init how the worker sends requests; undefined if the page has to send them
   * @param limit the maximum length of a body
   */
  constructor(
    insists: boolean,
    module: WebAssembly.Module,
    asRows = false,
    columns?: Uint8Array,
    init?: WorkerInit,
    limit = 0,
  ) {
    this.#insists = insists;
    this.#module = module;
    this.#options = { asRows, columns };
    this.#init = init;
    this.#limit = limit;
    this.#join();
  }

  /** Resolves when the worker is ready, and it is known whether it may send requests; or when it cannot be started. Undefined without a worker. */
  get started(): Promise<void> | undefined {
    return this.#worker?.started;
  }

  /**
   * Lets the worker send a request; undefined if the page has to send it, because the worker is not ready, or a service
   * worker has to see the request.
   */
  send(href: string, headers: Headers): Exchange | undefined {
    const [init, worker] = [this.#init, this.#worker];
    if (init === undefined || !worker?.maySend || navigator.serviceWorker?.controller) return undefined;
    return worker.send({ ...init, href, headers: [...headers], referrer: location.href, limit: this.#limit });
  }

  /** Decodes a body. */
  decode(body: KeptBody): Promise<Decoded> {
    if (this.#worker?.mayBeReplaced ?? true) this.#join();
    // Unless it is lost, the worker that keeps it has not been replaced.
    return this.#worker?.decode(body, this.#options, this.#insists) ?? notDecoded(body);
  }

  /** Takes back the buffer of packed findings, which nothing reads any more. */
  takeBack(packed: Uint8Array): void {
    this.#worker?.takeBack(packed);
  }

  /** Ends the use. An unused worker ends after a while. */
  end(): void {
    if (this.#worker !== undefined) this.#worker.uses--;
    this.#worker = undefined;
  }

  #join(): void {
    this.#worker = joinPool(this.#insists, this.#module);
    if (this.#worker !== undefined) this.#worker.uses++;
  }
}
