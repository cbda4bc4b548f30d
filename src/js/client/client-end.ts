// What ends all calls of a client: its `free()`.

import { orUndefined } from "../host/member.js";

/** The end of a client. */
export class ClientEnd {
  #controller: AbortController | undefined;
  #reason: unknown;

  /**
   * Aborted when the client is freed. Made with the first call, and again in each request to a server in workerd, which lets only the request that
   * has made a signal use it, and a module's scope make none.
   */
  get signal(): AbortSignal {
    const made = this.#controller;
    if (made !== undefined && orUndefined(() => made.signal.aborted) !== undefined) return made.signal;
    const controller = new AbortController();
    if (this.#reason !== undefined) controller.abort(this.#reason);
    this.#controller = controller;
    return controller.signal;
  }

  /** Ends all calls, now and later. */
  abort(reason: unknown): void {
    this.#reason ??= reason;
    orUndefined(() => this.#controller?.abort(this.#reason));
  }
}
