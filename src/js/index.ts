// The package for browsers and bundlers: loads its module at the first call.

import { loadOnDemandFrom } from "./module.js";

export * from "./exports.js";

loadOnDemandFrom(() => new URL("./inspection_findings_bg.wasm", import.meta.url), "file");
