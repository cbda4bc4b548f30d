// The glue of one instance of the module, which the build makes of wasm-bindgen's.

import type { Client, InitOutput } from "../../inspection_findings.js";

/** Creates the glue. It calls the exports that `watched` returns, and other ones once the instance has stopped. */
export function makeGlue(watched: (exports: InitOutput) => InitOutput): {
  Client: typeof Client;
  start(module: WebAssembly.Module): Promise<void>;
  replaceExports(exports: InitOutput): void;
};
