// The package for hosts that cannot find the `.wasm` file, such as service workers: the caller calls `init` first.

import type { ModuleSource } from "../host/platform.js";
import { load } from "../module/module.js";

export * from "./exports.js";
export type { ModuleSource };

/**
 * Loads the `.wasm` file. Await this before the first call. Later calls of `init` have no effect; after a failure you
 * can call it again.
 *
 * @param source the URL of `inspection_findings_bg.wasm`, a response with it, its bytes, or the compiled module
 * @default the file beside the script of the package
 * @returns a promise that rejects with a {@link FindingsError} of code `load` if it cannot be loaded
 * @example
 * import { getFindings, init } from "inspection-findings/manual";
 *
 * await init("/assets/inspection_findings_bg.wasm");
 * const findings = await getFindings(42, "sentiment");
 */
export async function init(source?: ModuleSource | Promise<ModuleSource>): Promise<void> {
  const promise = Promise.resolve(source);
  // After a load, nobody else waits for it.
  promise.catch(() => {});
  await load({}, async () => (await promise) ?? new URL("./inspection_findings_bg.wasm", import.meta.url));
}
