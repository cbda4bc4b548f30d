// Why a request failed, according to the host or the `fetch` option.

import type { ConnectionAdvice, NumbersOf } from "../engine/engine.js";
import { isObject, memberOf, orUndefined } from "./member.js";
import { hasPage } from "./page.js";

/** A code of a host, such as `ENOTFOUND` or `UND_ERR_SOCKET`. */
const CODE = /^[A-Z][A-Za-z0-9_]{2,63}$/;

/** What is read of Node's `process`, or of a replacement. */
interface NodeProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execArgv: readonly string[];
  readonly versions: Readonly<Record<string, string | undefined>>;
}

/** The maximum number of characters of a reason. Node's errors end with advice. */
const MAX_REASON = 300;

const ADVICES = {
  none: 0,
  hiddenReason: 1,
  insecure: 2,
  unusedProxy: 3,
  untrusted: 4,
  insecureLocal: 5,
} as const satisfies NumbersOf<typeof ConnectionAdvice>;

/** The start of an http URL of this device. */
const OF_DEVICE = /^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])[:/]/;

/** The start of an http URL that Chrome knows to be one of the local network, without a look at its address. */
const OF_LOCAL_NETWORK =
  /^http:\/\/(?:(?:10\.\d+|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.\d+\.\d+|\[f(?:[cd]|e[89ab])[\da-f:]+\]|[^/:]+\.local)[:/]/;

/** Returns the code and the message of a request's error; only the innermost message if there is no code; an empty string if there is neither. */
export function reasonOf(cause: unknown): string {
  // What a custom `fetch` has thrown may throw when it is read.
  const read = () => String(codeAndMessageOf(cause) ?? innermostMessageOf(cause));
  const reason = typeof cause === "string" ? cause : (orUndefined(read) ?? "");
  return reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}…` : reason;
}

/** Returns the advice about a request to a URL that got no response. */
export function adviceOf(cause: unknown, url: string): ConnectionAdvice {
  if (/certificate|CERT/.test(reasonOf(cause))) return ADVICES.untrusted;
  if (!hasPage()) return hasUnusedProxy(url) ? ADVICES.unusedProxy : ADVICES.none;
  if (!isUnexplained(cause)) return ADVICES.none;
  if (!isInsecure(url)) return ADVICES.hiddenReason;
  return OF_LOCAL_NETWORK.test(url) ? ADVICES.insecureLocal : ADVICES.insecure;
}

/** Whether a browser's `fetch` rejected with this error, which does not give the reason. */
function isUnexplained(cause: unknown): boolean {
  const isWithoutCode = () =>
    cause instanceof Error && cause.name === "TypeError" && codeAndMessageOf(cause) === undefined;
  // Node's `fetch` refuses the signal of another realm.
  return orUndefined(isWithoutCode) === true && !reasonOf(cause).includes("AbortSignal");
}

/** Whether browsers refuse a page of https to request a URL. They allow this device's own. */
function isInsecure(url: string): boolean {
  return url.startsWith("http:") && !OF_DEVICE.test(url) && location.origin.startsWith("https:");
}

/** Whether the environment names a proxy that Node's `fetch` does not use. */
function hasUnusedProxy(url: string): boolean {
  const { env, execArgv, versions } = (globalThis as unknown as { process: NodeProcess }).process;
  // Deno and Bun say which Node they are like, and use the proxy.
  if (versions.node === undefined || "deno" in versions || "bun" in versions) return false;
  const name = url.startsWith("https:") ? "HTTPS_PROXY" : "HTTP_PROXY";
  const flags = [...execArgv, ...(env.NODE_OPTIONS ?? "").split(" ")];
  const isAskedTo = env.NODE_USE_ENV_PROXY === "1" || flags.includes("--use-env-proxy");
  return Boolean(env[name] || env[name.toLowerCase()]) && !(isAskedTo && canUseProxy(versions.node));
}

/** Whether this version of Node can be told to use the proxy of the environment: 22.21, 24 or later. */
function canUseProxy(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major >= 24 || (major === 22 && minor >= 21);
}

/**
 * Whether a framework ends the work of its caller with this value: Next.js throws an error with a `digest` from `fetch`
 * where a page is prerendered, and must get it back.
 */
export function isOfFramework(reason: unknown): boolean {
  return isObject(reason) && typeof memberOf(reason, "digest") === "string";
}

/** Finds the first code of an error or of one of its causes. */
function codeAndMessageOf(cause: unknown): string | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code, message } = error as Error & { code?: unknown };
    if (typeof code === "string" && CODE.test(code)) return withCode(code, message);
  }
  return undefined;
}

/** Returns the message of the last cause that has one: Deno's `fetch` gives no code. */
function innermostMessageOf(cause: unknown): string {
  let message = "";
  for (let error = cause; error instanceof Error; error = error.cause) message = error.message || message;
  return message;
}

function withCode(code: string, message: string): string {
  if (message.includes(code)) return message;
  return message === "" ? code : `${code}: ${message}`;
}
