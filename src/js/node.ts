// The package for Node: loads its module from the file beside it, at the first call.

import { readFile } from "node:fs/promises";

import { loadOnDemandFrom } from "./module.js";

export * from "./exports.js";

loadOnDemandFrom(() => readFile(new URL("./inspection_findings_bg.wasm", import.meta.url)), "file");
