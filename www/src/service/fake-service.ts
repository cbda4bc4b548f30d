/**
 * The built-in service: a worker runs `createFakeService`, so inventing and sending bodies costs the main thread no more than
 * responses from a network. Usage:
 *
 *     const service = new FakeService("story");
 *     const client = new FindingsClient(service.options);
 */

import type { Options } from "inspection-findings";
import type { Message, Reply } from "./fake-service-worker.js";
import type { ScenarioId } from "./scenarios.js";

const baseUrl = new URL("service/", document.baseURI).href;
let worker: Worker | undefined;
let count = 0;
/** The requests that have no response yet. */
const pending = new Map<number, { service: number; settle: (reply: Reply) => void }>();

export class FakeService {
  /** The number of requests, and how many of them got a 401. */
  requests = 0;
  rejected = 0;
  /** How often the token was renewed. */
  renewals = 0;
  readonly #id = count++;
  #token = "token-1";
  #isBroken = false;

  readonly options: Required<Pick<Options, "baseUrl" | "headers" | "fetch">> = {
    baseUrl,
    headers: ({ status }) => ({ authorization: status === 401 ? this.renewToken() : this.#token }),
    fetch: (href, init) => this.fetch(href, init),
  };

  constructor(scenario: ScenarioId) {
    post({ service: this.#id, scenario, baseUrl });
  }

  /** The current token, which may have expired. */
  get token(): string {
    return this.#token;
  }

  renewToken(): string {
    this.renewals++;
    this.#token = "token-2";
    return this.#token;
  }

  /** From now on, the service rejects the first token. */
  expireToken(): void {
    post({ service: this.#id, isExpired: true });
  }

  /** Breaks all connections, and refuses new ones for some time. */
  breakNetwork(milliseconds: number): void {
    this.#isBroken = true;
    for (const { service, settle } of pending.values()) {
      if (service === this.#id) settle({ id: -1, error: "Failed to fetch" });
    }
    setTimeout(() => {
      this.#isBroken = false;
    }, milliseconds);
  }

  async fetch(href: string, init: RequestInit = {}): Promise<Response> {
    const { signal } = init;
    signal?.throwIfAborted();
    this.requests++;
    if (this.#isBroken) throw new TypeError("Failed to fetch");
    const id = count++;
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const abort = () => {
      post({ abort: id });
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", abort);
    pending.set(id, { service: this.#id, settle: resolve });
    post({ request: id, service: this.#id, href, headers: [...new Headers(init.headers)] });
    try {
      const reply = await promise;
      if (reply.response === undefined) throw new TypeError(reply.error);
      const { status, headers, body } = reply.response;
      if (status === 401) this.rejected++;
      return new Response(body, { status, headers });
    } finally {
      pending.delete(id);
      signal?.removeEventListener("abort", abort);
    }
  }
}

function post(message: Message): void {
  if (worker === undefined) {
    worker = new Worker(new URL("./fake-service-worker.ts", import.meta.url), { type: "module", name: "fake service" });
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => pending.get(data.id)?.settle(data));
  }
  worker.postMessage(message);
}
