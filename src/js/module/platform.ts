// The web platform types that the public types use, for programs whose libraries lack some of them.

declare global {
  // Each interface merges with the one in the program's libraries; on its own, it is empty.
  interface AbortSignal {}
  interface Headers {}
  // biome-ignore lint/suspicious/noExplicitAny: it merges only with the same default
  interface ReadableStream<R = any> {}
  interface Request {}
  interface RequestInit {}
  interface Response {}
  interface URL {}
  interface Worker {}
  namespace WebAssembly {
    interface Module {}
  }
}

/** Headers as `fetch` takes them. */
export type HeadersLike = [string, string][] | Record<string, string> | Headers;

/** A source of the `.wasm` file: its URL, a response with it, its bytes, or the compiled module. */
export type ModuleSource = string | URL | Request | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module;
