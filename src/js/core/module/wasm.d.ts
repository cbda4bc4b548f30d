// A WebAssembly module that a script imports, as in workerd.

declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}
