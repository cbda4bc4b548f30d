// The package for workerd, the runtime of Cloudflare Workers, which accepts only a WebAssembly module that the script
// imports.

import { loadOnDemandFrom } from "../core/module/module.js";
import module from "./inspection_findings_bg.wasm?module";

export * from "./exports.js";

loadOnDemandFrom(() => module, "inlined");
