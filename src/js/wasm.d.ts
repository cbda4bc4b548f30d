// A module that a script imports, as workerd gives it.

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
