/** The interception: a service worker hands this page's requests to the built-in service. Nearly all of its size is MSW. */

import { http } from "msw/http";
import { startWorker } from "../../tests/fake-backend/worker.js";
import type { Tickets } from "./tickets.js";

/**
 * Resolves once requests are handed over. Those with a ticket are answered by the service that it was issued for, all
 * others go on to where they are sent. The page has to be under the control of the service worker already, or MSW loads it
 * anew.
 */
export async function interceptRequests(tickets: Tickets, script: URL): Promise<void> {
  const handler = http.all(
    ({ request }) => tickets.isOn(request),
    ({ request }) => tickets.redeem(request)?.answer(request) ?? Response.error(),
  );
  await startWorker({ handlers: [handler] }, { script });
}
