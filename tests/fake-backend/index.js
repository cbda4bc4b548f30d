/** The fake backend: request handlers of MSW, for the service in which each inspection key is a scenario or for one fake service. */

import { http } from "msw/http";
import { KeyedService } from "./service.js";

export { json, refusal } from "./responses.js";
export { scenarioByKey, sizes } from "./scenarios.js";

/**
 * The request handlers for a fake service, as `www/docs/testing.md` makes them.
 * @param {Pick<import("inspection-findings/testing").FakeService, "baseUrl" | "fetch">} service
 */
export function handlersOf({ baseUrl, fetch }) {
  return [http.all(`${baseUrl}Findings/*`, ({ request }) => fetch(request).catch(() => Response.error()))];
}

export class FakeBackend {
  /** For `setupWorker(...)` and `setupServer(...)`. */
  handlers;

  /** The base URL of the service. */
  baseUrl;

  #service;

  /** @param {{ baseUrl?: string | URL }} [options] in a page the page's own base URL if left out */
  constructor({ baseUrl = globalThis.document?.baseURI } = {}) {
    if (baseUrl === undefined) {
      throw new TypeError("Outside a page the fake backend has to be told its base URL.");
    }
    this.baseUrl = new URL(".", baseUrl);
    const service = new KeyedService({ baseUrl: this.baseUrl });
    this.#service = service;
    // All methods, so that a wrong one is refused here and does not reach the network.
    this.handlers = [
      http.all(
        ({ request }) => service.isAsked(request),
        ({ request }) => service.respond(request),
      ),
    ];
  }

  /** Resets every scenario: a flaky service fails again. Requests in flight still get their responses. */
  reset() {
    this.#service.reset();
  }
}
