// The package with the `.wasm` file and the worker's script inlined: for tools that lose a separate file, as some
// development servers do, for pages of one file, and for Node.

import { decoded } from "../core/module/embedded-module.js";
import { loadOnDemandFrom } from "../core/module/module.js";

export * from "./exports.js";

loadOnDemandFrom(decoded, "inlined");
