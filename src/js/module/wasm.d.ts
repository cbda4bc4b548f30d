// A WebAssembly module that a script imports, as in workerd.

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
