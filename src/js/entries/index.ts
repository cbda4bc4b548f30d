// The package for browsers and bundlers: the first call loads the `.wasm` file.

import { loadOnDemandFrom } from "../core/module/module.js";

export * from "./exports.js";

loadOnDemandFrom(() => new URL("./inspection_findings_bg.wasm", import.meta.url), "inspection_findings_bg.wasm");
