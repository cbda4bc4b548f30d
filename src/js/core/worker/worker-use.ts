// A call's use of a worker.

import type { KeptBody } from "./body.js";
import type { Exchange } from "./exchange.js";
import { type Decoded, joinPool, notDecoded, type PooledWorker } from "./pool.js";
import type { PackingOptions, WorkerInit } from "./protocol.js";

/** What the settings of a call say about a worker. Of a preload, only whether it insists on one. */
export interface WorkerSettings {
  /** Whether to use a worker; if true, the call fails without one. */
  readonly worker: boolean | "auto";
  readonly asTable?: boolean;
  readonly columns?: PackingOptions["columns"];
  /** How the worker sends requests; undefined if the page has to send them. */
  readonly inWorker?: WorkerInit | undefined;
  readonly maxPartitionBytes?: number;
}

/** A call's use of a worker. */
export class WorkerUse {
  readonly #module: WebAssembly.Module;
  readonly #settings: WorkerSettings;
  #worker: PooledWorker | undefined;

  /** Starts the worker unless it runs. */
  constructor(module: WebAssembly.Module, settings: WorkerSettings) {
    this.#module = module;
    this.#settings = settings;
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
    const { inWorker, maxPartitionBytes: limit = 0 } = this.#settings;
    if (inWorker === undefined || !this.#worker?.maySend || navigator.serviceWorker?.controller) return undefined;
    return this.#worker.send({ ...inWorker, href, headers: [...headers], referrer: location.href, limit });
  }

  /** Decodes a body. */
  decode(body: KeptBody): Promise<Decoded> {
    if (this.#worker?.mayBeReplaced ?? true) this.#join();
    // Unless it is lost, the worker that keeps it has not been replaced.
    const { asTable, columns } = this.#settings;
    return this.#worker?.decode(body, { asRows: !asTable, columns }, this.#insists) ?? notDecoded(body);
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

  get #insists(): boolean {
    return this.#settings.worker === true;
  }

  #join(): void {
    this.#worker = joinPool(this.#insists, this.#module);
    if (this.#worker !== undefined) this.#worker.uses++;
  }
}
