// The first request of a client, which leaves while the .wasm file is loading: script, module and counts load side by side.

import { cancelBody } from "../engine/fetch-exchange.js";
import type { CallerContext } from "../host/caller-context.js";
import { ignoreRejection } from "../host/promise.js";
import type { CallTarget } from "../table/call-target.js";
import type { CallKind } from "./options/option-table.js";
import type { Settings } from "./options/settings.js";

/** A request that was sent before WebAssembly was ready. The module takes it as its first attempt, or it is cancelled. */
export class FirstRequest {
  /** What a `headers` function has returned for it; undefined for fixed headers. */
  readonly askedHeaders: Promise<Headers> | undefined;
  readonly #href: string;
  readonly #controller = new AbortController();
  readonly #response: Promise<unknown>;
  #headers: Headers | undefined;
  #isOver = false;

  constructor({ baseUrl, headers, context, send }: Settings, kind: CallKind, target: CallTarget) {
    const url = `${baseUrl}${pathOf(kind, target)}`;
    this.#href = url;
    if (typeof headers === "function") {
      this.askedHeaders = context.run(() => headers({ attempt: 1, status: undefined, url }));
    } else this.#headers = headers;
    this.#response = this.#send(context, send);
    ignoreRejection(this.#response);
  }

  /** Whether the module may still take it. */
  get isOpen(): boolean {
    return !this.#isOver;
  }

  /** Returns settings with which the module takes the request. One that still waits for its headers is left to the module, whose attempt has a timeout. */
  takenBy(settings: Settings): Settings {
    if (this.#headers === undefined) this.#isOver = true;
    return {
      ...settings,
      askedHeaders: this.askedHeaders,
      send: (href, headers, signal) => this.#take(href, headers, signal) ?? settings.send(href, headers, signal),
    };
  }

  /** Cancels the request, unless the module has taken it. */
  cancel(): void {
    if (this.#isOver) return;
    this.#controller.abort();
    void cancelBody(this.#response);
    this.#isOver = true;
  }

  async #send(context: CallerContext, send: Settings["send"]): Promise<unknown> {
    const headers = this.#headers ?? ((await this.askedHeaders) as Headers);
    this.#headers = headers;
    return context.run(() => {
      // The call may have ended meanwhile.
      if (this.#isOver) throw new DOMException("The call has ended.", "AbortError");
      return send(this.#href, headers, this.#controller.signal);
    });
  }

  /** Hands the response over for the same URL and headers; undefined for any other request. */
  #take(href: string, headers: Headers, signal: AbortSignal): Promise<unknown> | undefined {
    if (this.#isOver || href !== this.#href || headers !== this.#headers) return undefined;
    this.#isOver = true;
    signal.addEventListener("abort", () => this.#controller.abort());
    return this.#response;
  }
}

/** The path of the first request of a call: that of the counts, unless it asks for a single partition. */
function pathOf(callKind: CallKind, { inspectionKey, kind, partitionIndex }: CallTarget): string {
  const counts = `Findings/${BigInt(inspectionKey)}`;
  if (callKind !== "partition") return counts;
  return `${counts}/${kind === "topics" ? "Topics" : "Sentiment"}/${partitionIndex}`;
}
