// The package without tables, with the `.wasm` file and the worker's script inlined: for Node, and for development.

import { decoded } from "../core/module/embedded-module.js";
import { loadOnDemandFrom } from "../core/module/module.js";

export * from "./objects-exports.js";

loadOnDemandFrom(decoded, "inlined");
