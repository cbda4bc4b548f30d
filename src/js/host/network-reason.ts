// Why a request failed, according to the host or the `fetch` option.

import { isObject, memberOf } from "./member.js";
import { hasPage } from "./page.js";

/** A code of a host, such as `ENOTFOUND` or `UND_ERR_SOCKET`. */
const CODE = /^[A-Z][A-Za-z0-9_]{2,63}$/;

/** The maximum number of characters of a reason. Node's errors end with advice. */
const MAX_REASON = 300;

/** The advices, as `src/web/error.rs` reads them. */
const ADVICES = { none: 0, hiddenReason: 1, insecure: 2, unusedProxy: 3, untrusted: 4 } as const;

/** Returns the code and the message of a request's error; only the innermost message if there is no code; an empty string if there is neither. */
export function reasonOf(cause: unknown): string {
  const reason = typeof cause === "string" ? cause : (codeAndMessageOf(cause) ?? innermostMessageOf(cause));
  return reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}…` : reason;
}

/** Returns the advice about a request to a URL that got no response. */
export function adviceOf(cause: unknown, url: string): number {
  if (/certificate|CERT/.test(reasonOf(cause))) return ADVICES.untrusted;
  if (!hasPage()) return hasUnusedProxy(url) ? ADVICES.unusedProxy : ADVICES.none;
  if (!isUnexplained(cause)) return ADVICES.none;
  return isInsecure(url) ? ADVICES.insecure : ADVICES.hiddenReason;
}

/** Whether a browser's `fetch` rejected with this error, which does not give the reason. */
function isUnexplained(cause: unknown): boolean {
  const isWithoutCode = cause instanceof Error && cause.name === "TypeError" && codeAndMessageOf(cause) === undefined;
  // Node's `fetch` refuses the signal of another realm.
  return isWithoutCode && !cause.message.includes("AbortSignal");
}

/** Whether browsers refuse a page of https to request a URL. They allow this device's own. */
function isInsecure(url: string): boolean {
  return /^http:\/\/(?!localhost[:/]|127\.|\[::1\])/.test(url) && location.origin.startsWith("https:");
}

/** Whether the environment names a proxy that Node's `fetch` does not use. */
function hasUnusedProxy(url: string): boolean {
  const { process } = globalThis as unknown as {
    process: { readonly env: Record<string, string | undefined>; readonly execArgv: string[] };
  };
  const { env, execArgv } = process;
  const name = url.startsWith("https:") ? "HTTPS_PROXY" : "HTTP_PROXY";
  const isUsed = env.NODE_USE_ENV_PROXY || execArgv.includes("--use-env-proxy");
  return navigator.userAgent.startsWith("Node.js/") && Boolean(env[name] || env[name.toLowerCase()]) && !isUsed;
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
