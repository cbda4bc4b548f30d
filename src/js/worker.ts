// The script of the worker: makes the attempts that a page asks for, with the module that the page has compiled.

import { atStop } from "./cleanup.js";
import type { WorkerAttempts } from "./inspection_findings.js";
import { Instance } from "./instance.js";
import type { FromWorker, ToWorker } from "./worker-link.js";

/** The members of a worker's global object that this script uses; the types of a page have no others. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: MessageEvent<ToWorker>) => void): void;
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  close(): void;
}

const scope = globalThis as unknown as WorkerScope;
let hasStarted = false;
let attempts: WorkerAttempts | undefined;

scope.addEventListener("message", ({ data }) => {
  switch (data[0]) {
    case "start":
      if (hasStarted) break;
      hasStarted = true;
      start(data[1]).catch((cause) => post(["failed", cause instanceof Error ? cause.message : String(cause)]));
      break;
    case "order":
      attempts?.obey(data[1]);
      break;
    case "ping":
      post(["pong"]);
      break;
  }
});

post(["awake"]);

async function start(module: WebAssembly.Module): Promise<void> {
  const instance = await Instance.start(module);
  atStop(scope, () => {
    post(["stopped"]);
    scope.close();
  });
  attempts = instance.attempts((report, bytes) => {
    post(["report", report, bytes], bytes === undefined ? [] : [bytes.buffer]);
  });
  post(["ready"]);
}

function post(message: FromWorker, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}
