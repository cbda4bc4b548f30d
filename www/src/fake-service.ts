/**
 * The built-in service: the fake backend, which runs in this page but is called like any other service. Loaded late, by
 * `await import("./fake-service.js")`; then
 *
 *     const service = await startFakeService(laboratory.settings); // before every retrieval, not before resume()
 *     const client = new FindingsClient(service); // its base URL, headers and fetch
 *
 * A service worker intercepts the requests, this page decides on the responses, and a worker makes the bodies. Only requests
 * with a ticket are intercepted, which the option `fetch` attaches: a real service at the same address stays reachable, and
 * its responses are not taken for those of the built-in service. Without a service worker, `fetch` calls the service
 * directly: after a forced reload, which bypasses the service worker; in a browser that forbids service workers; and after
 * a service worker has forgotten the page.
 */

import type { Options } from "inspection-findings";
import { BodyWorkshop } from "../../tests/fake-backend/body-workshop.js";
import { dialledScenario } from "../../tests/fake-backend/dialled.js";
import { type Scenario, scenarioByKey, scenarios, tokens } from "../../tests/fake-backend/scenarios.js";
import { FakeService } from "../../tests/fake-backend/service.js";
import type { Settings } from "../../tests/fake-backend/settings.js";
import { isControlled } from "./service-worker.js";
import { Tickets } from "./tickets.js";

/** The options of the client. */
export type FakeServiceOptions = Required<Pick<Options, "baseUrl" | "headers" | "fetch">>;

type Fetch = FakeServiceOptions["fetch"];

const baseUrl = new URL("service/", document.baseURI);
const script = new URL("mockServiceWorker.js", document.baseURI);
const workshop = new BodyWorkshop();

/** Milliseconds to wait until requests are intercepted. */
const interceptionTimeout = 5_000;

/**
 * Resolves once the service can be called. Each start resets its state. The settings determine the scenario; without them
 * the inspection key does.
 */
export async function startFakeService(settings?: Settings): Promise<FakeServiceOptions> {
  const tickets = await interception();
  const service = serviceWith(settings);
  let token = tokens.expired;
  return {
    baseUrl,
    headers: ({ status }) => {
      if (status === 401) {
        token = tokens.renewed;
      }
      return { authorization: `Bearer ${token}` };
    },
    fetch: tickets === undefined ? fetchDirectly(service) : fetchThroughWorker(service, tickets),
  };
}

function serviceWith(settings?: Settings): FakeService {
  const seed = settings?.seed ?? 1;
  return new FakeService({ baseUrl, seed, bodies: workshop.bodies(seed), scenarioOf: scenariosOf(settings) });
}

function scenariosOf(settings?: Settings): (inspectionKey: string) => Scenario {
  if (settings === undefined) {
    return (inspectionKey) => scenarios[scenarioByKey[inspectionKey] ?? "unknown-inspection"];
  }
  const dialled = dialledScenario(settings);
  return () => dialled;
}

let intercepting: Promise<Tickets | undefined> | undefined;

/** Resolves with the tickets of intercepted requests, or with undefined without a service worker. Decided once per page. */
function interception(): Promise<Tickets | undefined> {
  intercepting ??= intercept();
  return intercepting;
}

async function intercept(): Promise<Tickets | undefined> {
  if (!(await isControlled(script))) {
    return undefined;
  }
  try {
    const { interceptRequests } = await import("./interception.js");
    const tickets = new Tickets();
    return await Promise.race([
      interceptRequests(tickets, script).then(() => tickets),
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), interceptionTimeout)),
    ]);
  } catch {
    // Not a failure: the service can be called directly.
    return undefined;
  }
}

/** `fetch` through the service worker. A response that this page has not made comes from another service, and is discarded. */
function fetchThroughWorker(service: FakeService, tickets: Tickets): Fetch {
  const directly = fetchDirectly(service);
  return async (href, init) => {
    const ticket = tickets.issue(service);
    const answer = fetch(href, tickets.attached(ticket, init));
    const response = await answer.catch(() => undefined);
    if (!tickets.withdraw(ticket)) {
      return answer;
    }
    response?.body?.cancel().catch(() => {});
    return directly(href, init);
  };
}

/** `fetch` without a network: calls the service, and rejects after an abort. */
function fetchDirectly(service: FakeService): Fetch {
  return async (href, init) => {
    const request = new Request(href, init);
    const { signal } = request;
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", abort);
    try {
      const response = await Promise.race([service.answer(request), aborted.promise]);
      if (response.type === "error") {
        throw new TypeError("The connection broke.");
      }
      return response;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
}
