// The package with its module and the worker's script inside, for tools that lose a separate file and for pages of one file.

import { decompressed } from "./inside.js";
import { loadOnDemandFrom } from "./module.js";

export * from "./exports.js";

loadOnDemandFrom(decompressed, "inside");
