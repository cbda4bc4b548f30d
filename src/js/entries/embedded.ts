// The package with the `.wasm` file and the worker's script inlined: for Node, and for development servers, some of
// which move the package's script away from the files beside it.

import { decompressed } from "../module/embedded-module.js";
import { loadOnDemandFrom } from "../module/module.js";

export * from "./exports.js";

loadOnDemandFrom(decompressed, "inlined");
