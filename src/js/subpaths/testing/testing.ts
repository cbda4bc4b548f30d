// The entry for tests: a service in memory.

import { readArrival } from "./arrival.js";
import type { FakeService, FakeServiceOptions } from "./fake-service.js";
import { checkKind, readBehaviour, readOptions } from "./options.js";
import { Service } from "./service.js";

export type {
  FakeRequest,
  FakeService,
  FakeServiceOptions,
  Faults,
  FindingsSize,
  ReceivedRequest,
  Scenario,
  ScenarioName,
  SessionCredentials,
} from "./fake-service.js";

/**
 * Makes an inspection service in memory, for tests, stories and demos. It has the same findings under every inspection
 * key. Its behaviour depends only on its options: the same seed gives the same bytes, latencies and failures in every
 * engine.
 *
 * Findings are invented when a partition is read. A finding is about 550 bytes of JSON; most comments yield several
 * findings, in four languages, with emoji and with text that looks like markup.
 *
 * @param options all optional; the default is a small inspection without faults
 * @returns the service. Throws a `TypeError` or `RangeError` for wrong options.
 * @example
 * import { createFakeService } from "inspection-findings/testing";
 *
 * const service = createFakeService({ seed: 7, topics: { findings: 1_000, partitions: 5 } });
 * const client = new FindingsClient({ baseUrl: service.baseUrl, fetch: service.fetch });
 * const findings = await client.getFindings(42, "topics");
 * console.log(findings.length, service.requests.length); // 1000 findings, 6 requests
 */
export function createFakeService(options?: FakeServiceOptions): FakeService {
  const settings = readOptions(options);
  const { baseUrl, inspection } = settings;
  const service = new Service(settings);
  return {
    baseUrl,
    requests: service.requests,
    fetch(input, init) {
      try {
        const arrival = readArrival(input, init);
        if (!service.has(arrival.url)) throw elsewhere(arrival.url, baseUrl);
        return service.respond(arrival);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    findings(kind) {
      checkKind(kind);
      return inspection[kind].all();
    },
    use: (behaviour) => service.use(readBehaviour(behaviour)),
    reset: () => service.reset(),
  };
}

function elsewhere(url: string, baseUrl: string): TypeError {
  return new TypeError(`${url} cannot be reached: the fake service is at ${baseUrl}`);
}
