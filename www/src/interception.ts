/** The interception: a service worker hands this page's requests to the built-in service. Nearly all of its size is MSW. */

import { http } from "msw/http";
import type { FakeService } from "../../tests/fake-backend/service.js";
import { startWorker } from "../../tests/fake-backend/worker.js";

/**
 * Resolves once requests are handed over. Each goes to the service that there is when it comes. The page has to be under the
 * control of the service worker already, or MSW loads it anew.
 */
export async function interceptRequests(service: () => FakeService, script: URL): Promise<void> {
  const handler = http.all(
    ({ request }) => service().isAsked(request),
    ({ request }) => service().answer(request),
  );
  await startWorker({ handlers: [handler] }, { script });
}
