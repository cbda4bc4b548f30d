/** The fake backend: request handlers of MSW for the three operations, with generated findings and named scenarios. */

import { http } from "msw/http";
import { Bodies } from "./bodies.js";
import { scenarioByKey, scenarios } from "./scenarios.js";
import { FakeService } from "./service.js";

export { json, refusal } from "./scenario.js";
export { scenarioByKey, scenarios, tokens } from "./scenarios.js";

/** @typedef {import("./scenario.js").Scenario} Scenario */
/** @typedef {import("./scenario.js").Visit} Visit */
/** @typedef {import("./scenarios.js").ScenarioName} ScenarioName */

export class FakeBackend {
  /** For `setupWorker(...)` and `setupServer(...)`: the scenario is chosen by the inspection key. */
  handlers;

  /** The base URL of the service. */
  baseUrl;

  #seed;
  #bodies;
  /** @type {FakeService[]} */
  #services = [];

  /**
   * @param {object} [options]
   * @param {string | URL} [options.baseUrl] in a page the page's own base URL if left out
   * @param {number} [options.seed] the same seed gives the same findings and the same latencies
   */
  constructor({ baseUrl = globalThis.document?.baseURI, seed = 1 } = {}) {
    if (baseUrl === undefined) {
      throw new TypeError("Outside a page the fake backend has to be told its base URL.");
    }
    this.baseUrl = new URL(baseUrl);
    this.#seed = seed;
    this.#bodies = new Bodies(seed);
    this.handlers = [this.#handler((inspectionKey) => scenarios[scenarioByKey[inspectionKey] ?? "unknown-inspection"])];
  }

  /**
   * A handler for `worker.use(...)` and `server.use(...)` with one scenario for all inspection keys.
   * @param {ScenarioName | Scenario} scenario
   */
  scenario(scenario) {
    const chosen = typeof scenario === "string" ? scenarios[scenario] : scenario;
    return this.#handler(() => chosen);
  }

  /** Resets every scenario: a flaky service fails again. Requests in flight are still answered. */
  reset() {
    for (const service of this.#services) {
      service.reset();
    }
  }

  /** @param {(inspectionKey: string) => Scenario} scenarioOf */
  #handler(scenarioOf) {
    const service = new FakeService({ baseUrl: this.baseUrl, seed: this.#seed, bodies: this.#bodies, scenarioOf });
    this.#services.push(service);
    // All methods, so that a wrong one is rejected here and does not reach the network.
    return http.all(
      ({ request }) => service.isAsked(request),
      ({ request }) => service.answer(request),
    );
  }
}
