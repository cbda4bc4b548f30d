/**
 * The built-in service: a worker runs `createFakeService`, so inventing and sending bodies costs the main thread no more than
 * responses from a network. Usage:
 *
 *     const service = new FakeService("story");
 *     const client = new FindingsClient(service.options);
 */

import type { Options } from "inspection-findings";
import type { Reply, Request } from "./fake-service-worker.js";
import { type ScenarioId, urlOf } from "./scenarios.js";

export class FakeService {
  /** The number of requests, and how many of them got a 401. */
  requests = 0;
  rejected = 0;
  /** How often the token was renewed. */
  renewals = 0;
  /** The current token, which may have expired. */
  token = "token-1";
  readonly #worker: Worker;
  /** Aborted while the network is broken. */
  #network = new AbortController();

  readonly options;

  constructor(scenario: ScenarioId) {
    this.#worker = new Worker(new URL("./fake-service-worker.ts", import.meta.url), { type: "module", name: scenario });
    this.options = {
      baseUrl: urlOf(scenario),
      headers: ({ status }) => ({ authorization: status === 401 ? this.renewToken() : this.token }),
      fetch: (href, init) => this.fetch(href, init),
    } satisfies Options;
  }

  /** Ends the service. A request in flight gets no response. */
  close(): void {
    this.#worker.terminate();
  }

  renewToken(): string {
    this.renewals++;
    this.token = "token-2";
    return this.token;
  }

  /** From now on, the service rejects the first token. */
  expireToken(): void {
    this.#worker.postMessage("expire");
  }

  /** Breaks all connections, and refuses new ones for some time. */
  breakNetwork(milliseconds: number): void {
    this.#network.abort(new TypeError("Failed to fetch"));
    setTimeout(() => {
      this.#network = new AbortController();
    }, milliseconds);
  }

  async fetch(href: string, init: RequestInit = {}): Promise<Response> {
    init.signal?.throwIfAborted();
    this.requests++;
    const signal = AbortSignal.any([this.#network.signal, ...(init.signal ? [init.signal] : [])]);
    signal.throwIfAborted();
    const { port1: port, port2 } = new MessageChannel();
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    port.onmessage = ({ data }) => resolve(data);
    signal.addEventListener("abort", () => reject(signal.reason));
    this.#worker.postMessage({ href, headers: [...new Headers(init.headers)] } satisfies Request, [port2]);
    const { status, headers, body } = await promise.finally(() => port.close());
    if (status === 401) this.rejected++;
    return new Response(body, { status, headers });
  }
}
