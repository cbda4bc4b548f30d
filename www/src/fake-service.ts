/** The built-in service: the fake backend, started in this page and asked like any other. */

import { FakeBackend, tokens } from "../../tests/fake-backend/index.js";
import { startWorker } from "../../tests/fake-backend/worker.js";
import type { Service } from "./service.js";

const backend = new FakeBackend({ baseUrl: new URL("service/", document.baseURI) });

/** Resolves once the service can be asked. Every time it starts as if it had never been asked before. */
export async function startFakeService(): Promise<Service> {
  await started();
  backend.reset();
  let token = tokens.expired;
  return {
    baseUrl: backend.baseUrl,
    headers: ({ status }) => {
      if (status === 401) {
        token = tokens.renewed;
      }
      return { authorization: `Bearer ${token}` };
    },
  };
}

let starting: Promise<unknown> | undefined;

/** Starts the worker once; what failed is tried again. */
function started(): Promise<unknown> {
  starting ??= startWorker(backend).catch((error: unknown) => {
    starting = undefined;
    throw new Error("The built-in service needs a service worker, and this browser did not start it.", {
      cause: error,
    });
  });
  return starting;
}
