// Requests that are sent before the module is loaded, and their hand-over to it.

import { listen } from "./shared-listener.js";

/** What the module's requests are like unless the caller gives options for them. */
const USUAL = { method: "GET", credentials: "same-origin", cache: "no-store", redirect: "manual" } as const;
const ACCEPT = "application/json";

/** The requests whose responses the module has not asked for yet. */
const waiting = new Set<EarlyRequest>();

/** A request without options of the caller, sent as the module sends it. */
export class EarlyRequest {
  readonly #href: string;
  readonly #controller = new AbortController();
  readonly #response: Promise<Response>;

  constructor(href: string) {
    this.#href = href;
    this.#response = this.#send();
    // The module may never ask for it.
    this.#response.catch(() => {});
    waiting.add(this);
  }

  /** Cancels the request, unless the module has asked for its response. */
  end(): void {
    if (waiting.delete(this)) this.#controller.abort();
  }

  /** Returns the response if the module's request is the same, whose signal then cancels this one. */
  responseTo(href: string, init: RequestInit): Promise<Response> | undefined {
    if (href !== this.#href || !isUsual(init)) return undefined;
    waiting.delete(this);
    if (init.signal) listen(init.signal, "abort", () => this.#controller.abort());
    return this.#response;
  }

  async #send(): Promise<Response> {
    return fetch(this.#href, { ...USUAL, headers: new Headers({ accept: ACCEPT }), signal: this.#controller.signal });
  }
}

/** The host's `fetch`. While early requests wait, one that gives the module their responses. */
export function hostFetch(): unknown {
  const { fetch } = globalThis;
  if (waiting.size === 0) return fetch;
  return (href: string, init: RequestInit) => {
    for (const request of waiting) {
      const response = request.responseTo(href, init);
      if (response !== undefined) return response;
    }
    return fetch(href, init);
  };
}

function isUsual({ credentials, cache, headers }: RequestInit): boolean {
  const [accept, ...more] = [...(headers as Headers)];
  return credentials === USUAL.credentials && cache === USUAL.cache && accept?.[1] === ACCEPT && more.length === 0;
}
