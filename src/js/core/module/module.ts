// The WebAssembly module: the first call that needs it loads it. After a failed load, or after a trap, the next call
// tries again.

import { ErrorClass } from "../error/error-class.js";
import { thrownText } from "../host/member.js";
import { isOffline } from "../host/offline.js";
import { hasPage } from "../host/page.js";
import type { ModuleSource } from "../host/platform.js";
import { Instance } from "./instance.js";
import { isSupported } from "./support.js";

let compiled: WebAssembly.Module | undefined;
let loading: Promise<Instance> | undefined;
/** The latest instance. */
let loaded: Instance | undefined;
let defaultSource: (() => ModuleSource | Promise<ModuleSource>) | undefined;
/** The name of the file of the module; `inlined` if there is none. */
let file = "inspection_findings_bg.wasm";

/** Sets the source of the module: a separate file of this name, or `inlined` bytes. */
export function loadOnDemandFrom(source: () => ModuleSource | Promise<ModuleSource>, fileName: string): void {
  defaultSource = source;
  file = fileName;
}

/**
 * Resolves with the running module. Loads it if necessary, and restarts it if it has stopped.
 *
 * @param target the members of the error of a failed load, because callers that share a load get separate errors
 * @internal
 */
export async function load(target: object = {}, source: typeof defaultSource = defaultSource): Promise<Instance> {
  if (loaded?.isLost) {
    loaded.stop();
    loaded = undefined;
    loading = undefined;
  }
  if (source === undefined && compiled === undefined && loading === undefined) {
    throw new ErrorClass("load", "The .wasm file is not loaded: await init() before the first call.", {
      ...target,
    });
  }
  loading ??= start(source as () => ModuleSource).catch((cause) => {
    loading = undefined;
    throw cause;
  });
  return loading.catch((cause) => {
    const isMemory = /out of memory/i.test(String(cause));
    const message = isMemory ? outOfMemory(cause) : failureOf(cause);
    throw new ErrorClass(isMemory ? "memory" : "load", message, { ...target, cause });
  });
}

/** Whether the next call has to wait until the `.wasm` file is loaded for the first time. */
export function isAwaited(): boolean {
  return loaded === undefined && (defaultSource ?? loading) !== undefined;
}

async function start(source: () => ModuleSource | Promise<ModuleSource>): Promise<Instance> {
  const module = compiled ?? (await compile(await source()));
  loaded = await Instance.start(module).catch(refuseForeign);
  compiled = module;
  return loaded;
}

const NO_SUPPORT =
  "This browser cannot run the .wasm file: it is too old, or WebAssembly is turned off, as in Safari's Lockdown Mode. The " +
  "package needs at least Chrome 96, Edge 96, Firefox 92 or Safari 16.4.";

const NO_HERMES =
  "Hermes, the JavaScript engine of React Native, has no WebAssembly, which the package needs. Fetch the findings on a server, or " +
  "in a WebView.";

const NO_TEXT =
  "The .wasm file could not be loaded: this environment lacks TextEncoder or TextDecoder, as plain jsdom does. In Jest, use the " +
  "test environment jest-fixed-jsdom.";

const NO_WEBASSEMBLY =
  "This process cannot run the .wasm file: WebAssembly is turned off, as by --jitless, or the runtime is too old.";

/** Says that there is no memory for the module. V8 reserves 10 GB of addresses for each WebAssembly memory. */
function outOfMemory(cause: unknown): string {
  const advice = hasPage()
    ? "close other pages, and call again"
    : "raise the limit of virtual memory (ulimit -v), or run Node with --disable-wasm-trap-handler";
  return `The .wasm file could not be started: ${thrownText(cause)}. There is too little memory: ${advice}.`;
}

/** Says why a load has failed, and what to do about it. */
function failureOf(cause: unknown): string {
  if (!isSupported()) {
    if ("HermesInternal" in globalThis) return NO_HERMES;
    return hasPage() ? NO_SUPPORT : NO_WEBASSEMBLY;
  }
  return typeof TextEncoder === "function" && typeof TextDecoder === "function" ? whatToCheck(cause) : NO_TEXT;
}

function whatToCheck(cause: unknown): string {
  const reason = thrownText(cause);
  if (compiled !== undefined) return `WebAssembly has stopped, and could not be started again: ${reason}.`;
  if (file !== "inlined" && isOffline()) return "The .wasm file could not be loaded: the device is offline.";
  const allowed = hasPage() ? "that a content security policy, if there is one, allows 'wasm-unsafe-eval'" : "";
  if (file === "inlined")
    return `The inlined .wasm file could not be loaded: ${reason}.${allowed && ` Check ${allowed}.`}`;
  const entry = file.includes("objects") ? "inspection-findings/objects" : "inspection-findings";
  return (
    `The .wasm file could not be loaded: ${reason}. Check that ${file} is served where the package ` +
    `expects it, as application/wasm${allowed && `, and ${allowed} and connecting to that URL`}. If you cannot serve it, ` +
    `import ${entry}/inline.`
  );
}

/** Says why a module cannot be started: another version has other names. */
function refuseForeign(cause: Error): never {
  if (!["TypeError", "LinkError"].includes(cause.name)) throw cause;
  throw new Error("it is not the .wasm file of this version of the package", { cause });
}

/** Compiles a source. Recognizes it by its shape, because a host may lack a class, or the source may be from another realm. */
async function compile(source: ModuleSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  const response = await responseOf(source);
  if (response === undefined) return WebAssembly.compile(source as BufferSource);
  if (!response.ok) throw new Error(`${response.url} responded with HTTP status ${response.status}`);
  const type = response.headers.get("content-type") ?? "no content type";
  if (type === "application/wasm" && typeof WebAssembly.compileStreaming === "function") {
    return WebAssembly.compileStreaming(response).catch(async (cause) => {
      // A patched `fetch` may return a response that the engine refuses, such as a proxy of its own.
      if (cause?.name !== "TypeError" || response.bodyUsed) throw cause;
      return WebAssembly.compile(await response.arrayBuffer());
    });
  }
  return WebAssembly.compile(await response.arrayBuffer()).catch((cause) => {
    throw new Error(`${response.url} responded with ${type} instead of the .wasm file (${cause.message})`, { cause });
  });
}

/** Returns the response of a source; undefined for sources without one, such as bytes. */
async function responseOf(source: ModuleSource): Promise<Response | undefined> {
  if (typeof source === "string") return fetch(source);
  if (typeof source !== "object" || source === null) return undefined;
  if ("ok" in source) return source;
  return "href" in source || "url" in source ? fetch(source) : undefined;
}
