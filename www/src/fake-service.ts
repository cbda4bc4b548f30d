/**
 * The built-in service: the fake backend, started in this page and asked like any other. Loaded late, by
 * `await import("./fake-service.js")`; then
 *
 *     const service = await startFakeService(laboratory.settings); // before every retrieval, not before resume()
 *     const client = new FindingsClient(service); // with all that it is: base URL, headers and, where needed, fetch
 *
 * A service worker takes the requests, this page decides about the answers, and a worker makes the bodies. Where there is
 * no service worker for this page the service is asked directly, through the option `fetch`: in a page that was reloaded by
 * force, which the browser keeps out of its service worker until the next load, and in a browser that allows none.
 */

import type { Options } from "inspection-findings";
import { BodyWorkshop } from "../../tests/fake-backend/body-workshop.js";
import { dialledScenario } from "../../tests/fake-backend/dialled.js";
import { type Scenario, scenarioByKey, scenarios, tokens } from "../../tests/fake-backend/scenarios.js";
import { FakeService } from "../../tests/fake-backend/service.js";
import type { Settings } from "../../tests/fake-backend/settings.js";
import { isControlled } from "./service-worker.js";

/** What the client has to be told. `fetch` is there only if the service is not behind a service worker. */
export type FakeServiceOptions = Pick<Options, "baseUrl" | "headers" | "fetch">;

const baseUrl = new URL("service/", document.baseURI);
const script = new URL("mockServiceWorker.js", document.baseURI);
const workshop = new BodyWorkshop();

/** Milliseconds that it may take until requests are intercepted. */
const patience = 5_000;

let service = serviceWith();

/**
 * Resolves once the service can be asked. Every time it starts as if it had never been asked before.
 * Without settings the scenario goes by the inspection key; with settings it is theirs, whatever the key.
 */
export async function startFakeService(settings?: Settings): Promise<FakeServiceOptions> {
  const isIntercepted = await interception();
  service = serviceWith(settings);
  let token = tokens.expired;
  return {
    baseUrl,
    headers: ({ status }) => {
      if (status === 401) {
        token = tokens.renewed;
      }
      return { authorization: `Bearer ${token}` };
    },
    ...(isIntercepted ? {} : { fetch: askDirectly }),
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

let intercepting: Promise<boolean> | undefined;

/** Whether a service worker takes this page's requests. Asked once: a page does not change sides. */
function interception(): Promise<boolean> {
  intercepting ??= intercept();
  return intercepting;
}

async function intercept(): Promise<boolean> {
  if (!(await isControlled(script))) {
    return false;
  }
  try {
    const { interceptRequests } = await import("./interception.js");
    return await Promise.race([
      interceptRequests(() => service, script).then(() => true),
      new Promise<false>((resolve) => setTimeout(() => resolve(false), patience)),
    ]);
  } catch {
    // That is no failure: the service can be asked without.
    return false;
  }
}

/** `fetch` without a network: the answer comes from the service as it is, or not at all after an abort. */
async function askDirectly(href: string, init?: RequestInit): Promise<Response> {
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
}
