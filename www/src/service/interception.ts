/** The interception of requests: a service worker passes them to the built-in service. Nearly all of its size is MSW. */

import { http } from "msw/http";
import { startWorker } from "../../../tests/fake-backend/demo.js";
import type { Tickets } from "./tickets.js";

/**
 * Resolves once requests are intercepted. A request with a ticket gets its response from the service that issued the
 * ticket; all others pass through. The service worker must control the page already, otherwise MSW reloads it.
 */
export async function interceptRequests(tickets: Tickets, script: URL): Promise<void> {
  const handler = http.all(
    ({ request }) => tickets.isOn(request),
    ({ request }) => tickets.redeem(request)?.respond(request) ?? Response.error(),
  );
  await startWorker({ handlers: [handler] }, { script });
}
