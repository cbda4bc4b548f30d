// The package without tables, for browsers and bundlers: the first call loads a smaller `.wasm` file.

import { loadOnDemandFrom } from "../core/module/module.js";

export * from "./objects-exports.js";

loadOnDemandFrom(
  () => new URL("./inspection_findings_objects_bg.wasm", import.meta.url),
  "inspection_findings_objects_bg.wasm",
);
