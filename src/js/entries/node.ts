// The package for Node: with the `.wasm` file inlined, because bundlers of server code do not keep a file beside the
// script.

export * from "./inline.js";
