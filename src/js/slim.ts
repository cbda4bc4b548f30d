// The package for service workers, CDNs and unusual hosts: the caller loads the module by `init`, before the first call.

import { load, type ModuleSource } from "./module.js";

export * from "./exports.js";
export type { ModuleSource };

/**
 * Loads the WebAssembly module; must have resolved before the first call. May be called again after a failure.
 *
 * @param source its address, a response with it, its bytes, or the compiled module
 * @default the file beside this one
 */
export async function init(source?: ModuleSource | Promise<ModuleSource>): Promise<void> {
  await load(() => source ?? new URL("./inspection_findings_bg.wasm", import.meta.url));
}
