/** The fake backend in a page: a service in which each inspection key is a scenario, with its request handlers for MSW. */

import { http } from "msw/http";
import { KeyedService } from "./service.js";

export { json, refusal } from "./responses.js";
export { sizes } from "./scenarios.js";

export class FakeBackend extends KeyedService {
  /** The base URL of the service, which is the page's own. */
  baseUrl = new URL(".", document.baseURI);

  /** For `setupWorker(...)`: all methods, so that a wrong one is refused here and does not reach the network. */
  handlers = [
    http.all(
      ({ request }) => this.isAsked(request),
      ({ request }) => this.respond(request),
    ),
  ];

  constructor() {
    super({ baseUrl: new URL(".", document.baseURI) });
  }
}
