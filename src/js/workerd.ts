// The package for workerd, the runtime of Cloudflare Workers, which accepts only a WebAssembly module that the script
// imports.

import module from "./inspection_findings_bg.wasm";
import { loadOnDemandFrom } from "./module.js";

export * from "./exports.js";

loadOnDemandFrom(() => module, "inside");
