// The WebAssembly module: loaded once, by the first call that needs it. A load that failed can be repeated, and a module
// that has stopped is started again.

import { FindingsError } from "./error.js";
import { Instance } from "./instance.js";
import type { ModuleSource } from "./platform.js";

let compiled: WebAssembly.Module | undefined;
let loading: Promise<Instance> | undefined;
/** The latest instance. */
let loaded: Instance | undefined;
let defaultSource: (() => ModuleSource | Promise<ModuleSource>) | undefined;

/** Sets the source from which the first call that needs the module loads it. */
export function loadOnDemandFrom(source: () => ModuleSource | Promise<ModuleSource>): void {
  defaultSource = source;
}

/**
 * Resolves with the running module: loads it unless it is loaded or being loaded, and starts it again if it has stopped.
 *
 * @internal
 */
export async function load(source: typeof defaultSource = defaultSource): Promise<Instance> {
  // Continues on a fresh stack: the caller's may be exhausted, and a load must not be interrupted.
  await undefined;
  if (loaded?.isLost) {
    loaded.stop();
    loaded = undefined;
    loading = undefined;
  }
  loading ??= startFrom(source).catch((cause) => {
    loading = undefined;
    throw cause;
  });
  return loading;
}

/**
 * Loads the WebAssembly module before a call needs it, for example while the page is idle. Never required: the first call loads it
 * otherwise. May be called again after a failure.
 *
 * @returns a promise that resolves when the module is loaded, and rejects with a {@link FindingsError} with the code `load` otherwise
 * @example
 * requestIdleCallback(() => preload().catch(() => {}));
 */
export async function preload(): Promise<void> {
  await load();
}

async function startFrom(source: typeof defaultSource): Promise<Instance> {
  if (compiled !== undefined) return start(compiled);
  if (source === undefined) {
    throw new FindingsError("load", "The WebAssembly module is not loaded: await init() before the first call.");
  }
  try {
    const module = checked(await compile(await source()));
    const instance = await start(module);
    compiled = module;
    return instance;
  } catch (cause) {
    throw new FindingsError(
      "load",
      `The WebAssembly module could not be loaded: ${cause instanceof Error ? cause.message : cause}. Check that ` +
        "inspection_findings_bg.wasm is served where the package expects it, as application/wasm, and that a content " +
        "security policy, if there is one, allows 'wasm-unsafe-eval' and connecting to that address.",
      { cause },
    );
  }
}

async function start(module: WebAssembly.Module): Promise<Instance> {
  loaded = await Instance.start(module);
  return loaded;
}

/** Rejects a module that is not the package's: once started, it could not be replaced by the right one. */
function checked(module: WebAssembly.Module): WebAssembly.Module {
  const names = WebAssembly.Module.exports(module).map(({ name }) => name);
  if (["client_new", "__wbindgen_start"].every((name) => names.includes(name))) return module;
  throw new Error("it is another module, or one of another version");
}

async function compile(source: ModuleSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (
    !(typeof source === "string" || source instanceof URL || source instanceof Request || source instanceof Response)
  ) {
    return WebAssembly.compile(source as BufferSource);
  }
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok) throw new Error(`${response.url} answered with HTTP status ${response.status}`);
  const type = response.headers.get("content-type") ?? "no content type";
  if (type === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer()).catch((cause) => {
    throw new Error(`${response.url} answered with ${type}, and not with a module (${cause.message})`, { cause });
  });
}
