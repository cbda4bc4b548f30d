// The web platform types that the public types use: those of the program's libraries, or else what the package needs of
// them. A global declaration would add these names to every program.

/** The instances of a global class, or a substitute where the program's libraries lack the class. */
type Instance<Name extends string, Substitute> = typeof globalThis extends {
  readonly [Global in Name]: { readonly prototype: infer Own };
}
  ? Own
  : Substitute;

export type AbortSignal = Instance<
  "AbortSignal",
  {
    readonly aborted: boolean;
    readonly reason: unknown;
    addEventListener(type: "abort", listener: () => void): void;
    removeEventListener(type: "abort", listener: () => void): void;
  }
>;

export type Headers = Instance<
  "Headers",
  { has(name: string): boolean; get(name: string): string | null; set(name: string, value: string): void }
>;

export type Request = Instance<"Request", { readonly url: string }>;

export type RequestInit = typeof globalThis extends { fetch(input: string, init?: infer Init): unknown }
  ? NonNullable<Init>
  : { readonly method?: string; readonly headers?: HeadersLike; readonly signal?: AbortSignal | null };

export type Response = Instance<
  "Response",
  {
    readonly ok: boolean;
    readonly status: number;
    readonly url: string;
    readonly headers: Headers;
    arrayBuffer(): Promise<ArrayBuffer>;
  }
>;

export type URL = Instance<"URL", { readonly href: string }>;

export type Worker = Instance<
  "Worker",
  { postMessage(message: unknown, transfer: unknown[]): void; terminate(): void; addEventListener: unknown }
>;

/** A compiled module. Without a library, it is an object that only the host can make. */
type WebAssemblyModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Own } } } ? Own : never;

interface StreamSubstitute<R> {
  readonly locked: boolean;
  cancel(reason?: unknown): Promise<void>;
  getReader(): { read(): Promise<{ done: boolean; value?: R | undefined }>; cancel(reason?: unknown): Promise<void> };
  pipeThrough<T>(transform: { readable: StreamSubstitute<T>; writable: unknown }): StreamSubstitute<T>;
  pipeTo(destination: unknown): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: only its method is used
declare const stream: Instance<"ReadableStream", StreamSubstitute<any>>;

/** The result of a method, because no type can name a generic class that may not exist. */
export type ReadableStream<R> = ReturnType<typeof stream.pipeThrough<R>>;

/** Headers as `fetch` takes them. */
export type HeadersLike = [string, string][] | Record<string, string> | Headers;

/** A source of the `.wasm` file: its URL, a response with it, its bytes, or the compiled module. */
export type ModuleSource = string | URL | Request | Response | ArrayBuffer | ArrayBufferView | WebAssemblyModule;
