/**
 * The built-in service: the fake backend, started in this page and asked like any other. Loaded late, by
 * `await import("./fake-service.js")`; then
 *
 *     const service = await startFakeService(laboratory.settings); // before every retrieval, not before resume()
 *     const client = new FindingsClient(service); // with all that it is: base URL, headers and fetch
 *
 * A service worker takes the requests, this page decides about the answers, and a worker makes the bodies. Only requests
 * with a ticket are answered, which the option `fetch` attaches, and only answers to such requests are given out: a real
 * service may lie at the same address, and is neither replaced nor taken for this one. Where there is no service worker for
 * this page the service is asked directly: in a page that was reloaded by force, which the browser keeps out of its service
 * worker until the next load, in a browser that allows none, and where a service worker has forgotten the page.
 */

import type { Options } from "inspection-findings";
import { BodyWorkshop } from "../../tests/fake-backend/body-workshop.js";
import { dialledScenario } from "../../tests/fake-backend/dialled.js";
import { type Scenario, scenarioByKey, scenarios, tokens } from "../../tests/fake-backend/scenarios.js";
import { FakeService } from "../../tests/fake-backend/service.js";
import type { Settings } from "../../tests/fake-backend/settings.js";
import { isControlled } from "./service-worker.js";
import { Tickets } from "./tickets.js";

/** What the client has to be told. */
export type FakeServiceOptions = Required<Pick<Options, "baseUrl" | "headers" | "fetch">>;

type Fetch = FakeServiceOptions["fetch"];

const baseUrl = new URL("service/", document.baseURI);
const script = new URL("mockServiceWorker.js", document.baseURI);
const workshop = new BodyWorkshop();

/** Milliseconds that it may take until requests are intercepted. */
const patience = 5_000;

/**
 * Resolves once the service can be asked. Every time it starts as if it had never been asked before.
 * Without settings the scenario goes by the inspection key; with settings it is theirs, whatever the key.
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
    fetch: tickets === undefined ? askDirectly(service) : ask(service, tickets),
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

/**
 * The tickets by which requests are known that a service worker hands to this page; undefined where none does. Asked once:
 * a page does not change sides.
 */
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
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), patience)),
    ]);
  } catch {
    // That is no failure: the service can be asked without.
    return undefined;
  }
}

/** `fetch` by way of the service worker. What comes without this page having answered is not the service's. */
function ask(service: FakeService, tickets: Tickets): Fetch {
  const directly = askDirectly(service);
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

/** `fetch` without a network: the answer comes from the service as it is, or not at all after an abort. */
function askDirectly(service: FakeService): Fetch {
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
