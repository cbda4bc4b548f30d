// The package for pages that load the `.wasm` file themselves, and for hosts that cannot find it, such as service workers.

import { membersOf, type Remedies } from "../core/argument/passed-object.js";
import { wrongType } from "../core/argument/refusal.js";
import { isObject } from "../core/host/member.js";
import type { ModuleSource, URL as PlatformURL, Worker as PlatformWorker } from "../core/host/platform.js";
import { load } from "../core/module/module.js";
import { type OwnWorker, setWorker } from "../core/worker/own-worker-script.js";

export * from "./exports.js";
export type { ModuleSource };

/** What {@link init} starts the package with. */
export interface InitOptions {
  /**
   * The URL of `inspection_findings_bg.wasm`, a response with it, its bytes, the compiled module, or a promise of one of
   * these.
   *
   * @default the file beside the script of the package
   */
  module?: ModuleSource | PromiseLike<ModuleSource> | undefined;
  /**
   * The URL of `worker.js`, or a function that returns a new worker that runs this script. The option `worker` of a call
   * says whether the call uses it.
   *
   * @default the script that is inlined in the script of the package
   */
  worker?: string | PlatformURL | (() => PlatformWorker) | undefined;
}

/**
 * Loads the `.wasm` file. Call this before the first call; you need not await it, because calls wait for it. Later calls
 * of `init` have no effect; after a failure you can call it again.
 *
 * @param options where the `.wasm` file and the worker come from
 * @returns a promise. It rejects with a `TypeError` for wrong options, and with a {@link FindingsError} of code `load` if
 * the file cannot be loaded, also if the promise of `module` rejects.
 * @example
 * import { getFindings, init } from "inspection-findings/manual";
 *
 * await init({ module: fetch("/assets/inspection_findings_bg.wasm") });
 * const findings = await getFindings(42, "sentiment", { baseUrl: "https://service.example/cxi/" });
 */
export async function init(options: InitOptions = {}): Promise<void> {
  const { module, worker } = membersOf(options, "options", ["module", "worker"], { remedies: REMEDIES });
  const own = worker === undefined ? undefined : readWorker(worker);
  const promise = Promise.resolve(module as InitOptions["module"]);
  // After a load, nobody else waits for it.
  promise.catch(() => {});
  await load({}, async () => {
    setWorker(own);
    return (await promise) ?? new URL("./inspection_findings_bg.wasm", import.meta.url);
  });
}

const PASS_MODULE = "pass { module }";

/** Modules that a caller may pass in place of the options. */
const REMEDIES: Remedies = {
  string: PASS_MODULE,
  URL: PASS_MODULE,
  Request: PASS_MODULE,
  Response: PASS_MODULE,
  promise: PASS_MODULE,
  ArrayBuffer: PASS_MODULE,
  Uint8Array: PASS_MODULE,
  "WebAssembly.Module": PASS_MODULE,
};

function readWorker(value: unknown): OwnWorker {
  if (typeof value === "function") return value as () => Worker;
  const href = isObject(value) ? value.href : value;
  if (typeof href === "string" && href !== "") return href;
  throw wrongType("worker", "a URL, or a function that returns a Worker", value);
}
