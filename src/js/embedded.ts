// The package with its module and the worker's script inside: for Node, and for development servers, some of which move the package's
// script away from the files beside it.

import { decompressed } from "./inside.js";
import { loadOnDemandFrom } from "./module.js";

export * from "./exports.js";

loadOnDemandFrom(decompressed, "inside");
