// The package without tables for workerd, the runtime of Cloudflare Workers.

import { loadOnDemandFrom } from "../core/module/module.js";
import module from "./inspection_findings_objects_bg.wasm?module";

export * from "./objects-exports.js";

loadOnDemandFrom(() => module, "inlined");
