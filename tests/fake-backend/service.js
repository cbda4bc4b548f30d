/** A service with another inspection under each key, made of fake services of `inspection-findings/testing`. */

import { createFakeService } from "inspection-findings/testing";
import { scenarioByKey } from "./scenarios.js";

/** @typedef {import("inspection-findings/testing").FakeService} FakeService */
/** @typedef {import("inspection-findings/testing").FakeServiceOptions} FakeServiceOptions */

export class KeyedService {
  #baseUrl;
  #optionsOf;
  /** @type {Map<string, FakeService>} */
  #services = new Map();

  /**
   * @param {object} parts
   * @param {string | URL} parts.baseUrl
   * @param {(inspectionKey: string) => FakeServiceOptions} [parts.optionsOf]
   */
  constructor({ baseUrl, optionsOf = optionsByKey }) {
    this.#baseUrl = String(baseUrl);
    this.#optionsOf = optionsOf;
  }

  /**
   * Whether the service responds to this request, if only to refuse it.
   * @param {Pick<Request, "url">} request
   */
  isAsked({ url }) {
    return url.startsWith(this.#baseUrl) && /^findings(\/|$|\?)/i.test(url.slice(this.#baseUrl.length));
  }

  /**
   * Responds to a request. Where the connection breaks, the response is a network error.
   * @param {Request} request
   * @returns {Promise<Response>}
   */
  respond(request) {
    const [, key = ""] = /\/Findings\/(-?\d+)/.exec(request.url) ?? [];
    return this.#under(key)
      .fetch(request)
      .catch(() => Response.error());
  }

  /**
   * All findings of an inspection.
   * @param {number | string} inspectionKey
   * @param {import("inspection-findings").FindingKind} kind
   */
  findings(inspectionKey, kind) {
    return this.#under(String(inspectionKey)).findings(kind);
  }

  /** Forgets all requests: a flaky service fails again. Requests in flight still get their responses. */
  reset() {
    for (const service of this.#services.values()) {
      service.reset();
    }
  }

  /** @param {string} inspectionKey */
  #under(inspectionKey) {
    const options = { ...this.#optionsOf(inspectionKey), baseUrl: this.#baseUrl };
    const service = this.#services.get(inspectionKey) ?? createFakeService(options);
    this.#services.set(inspectionKey, service);
    return service;
  }
}

/**
 * The options of the fake service under a key: the scenario of the key, with findings of its own.
 * @param {string} inspectionKey
 * @returns {FakeServiceOptions}
 */
function optionsByKey(inspectionKey) {
  const scenario = scenarioByKey[inspectionKey] ?? "unknown-inspection";
  return { scenario, seed: scenario === "unknown-inspection" ? 0 : Number(inspectionKey) };
}
