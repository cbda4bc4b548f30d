/**
 * The built-in service: the fake backend, which runs in this page but is called like any other service. Loaded late, by
 * `await import("./fake-service.js")`; then
 *
 *     const service = await startFakeService(laboratory.settings); // before every retrieval, not before resume()
 *     const client = new FindingsClient(service.options); // with its base URL and headers
 *
 * A service worker intercepts the requests, this page passes them on, and a worker responds to them. Only requests with a ticket are
 * intercepted: a real service at the same address stays reachable. They get their tickets by the option `fetch`, which discards the response
 * of another service.
 *
 * Without a service worker, `fetch` calls the service directly: in a browser that forbids service workers, and after a service worker has
 * forgotten the page.
 */

import { BodyWorkshop, type Settings, tokens } from "../../../tests/fake-backend/demo.js";
import type { Service } from "./service.js";
import { identityOfPage, isControlled } from "./service-worker.js";
import { type Responder, Tickets } from "./tickets.js";

type Fetch = (href: string, init: RequestInit) => Promise<Response>;

const baseUrl = new URL("service/", document.baseURI);
const script = new URL("service-worker.js", document.baseURI);
const workshop = new BodyWorkshop();

/** Milliseconds to wait until requests are intercepted. */
const interceptionTimeout = 5_000;

/**
 * Resolves once the service can be called. Each start resets its state. The settings determine the scenario; without them
 * the inspection key does.
 */
export async function startFakeService(settings?: Settings): Promise<Service> {
  const tickets = await interception();
  const service = workshop.service({ baseUrl, settings });
  const fetch = tickets === undefined ? fetchDirectly(service) : fetchThroughWorker(service, tickets);
  const authorization = authorizer();
  return { options: { baseUrl, headers: ({ status }) => authorization(status), fetch } };
}

/** The header with the token: the expired one, until it has been rejected. */
function authorizer(): (status: number | undefined) => Record<string, string> {
  let token = tokens.expired;
  return (status) => {
    if (status === 401) {
      token = tokens.renewed;
    }
    return { authorization: `Bearer ${token}` };
  };
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
    return await Promise.race([
      identityOfPage().then(async (page) => {
        const tickets = new Tickets(page);
        await interceptRequests(tickets, script);
        return tickets;
      }),
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), interceptionTimeout)),
    ]);
  } catch {
    // Not a failure: the service can be called directly.
    return undefined;
  }
}

/** `fetch` through the service worker. A response that this page has not made comes from another service, and is discarded. */
function fetchThroughWorker(service: Responder, tickets: Tickets): Fetch {
  const directly = fetchDirectly(service);
  return async (href, init) => {
    const ticket = tickets.issue(service);
    const promise = fetch(href, tickets.attached(ticket, init));
    const response = await promise.catch(() => undefined);
    if (!tickets.withdraw(ticket)) {
      return promise;
    }
    response?.body?.cancel().catch(() => {});
    return directly(href, init);
  };
}

/** `fetch` without a network: calls the service, and rejects after an abort. */
function fetchDirectly(service: Responder): Fetch {
  return async (href, init) => {
    const request = new Request(href, init);
    const { signal } = request;
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", abort);
    try {
      const response = await Promise.race([service.respond(request), aborted.promise]);
      if (response.type === "error") {
        throw new TypeError("The connection broke.");
      }
      return response;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
}
