// Why a request failed, according to the host or the `fetch` option.

import { isObject, memberOf } from "./member.js";

/** A code of a host, such as `ENOTFOUND` or `UND_ERR_SOCKET`. */
const CODE = /^[A-Z][A-Za-z0-9_]{2,63}$/;

/** Returns the code and the message of a request's error; only the message if there is no code; an empty string if there is neither. */
export function reasonOf(cause: unknown): string {
  return typeof cause === "string" ? cause : (codeAndMessageOf(cause) ?? messageOf(cause));
}

/** Whether a browser's `fetch` rejected with this error, which does not give the reason. */
export function isUnexplained(cause: unknown): boolean {
  const isWithoutCode = cause instanceof Error && cause.name === "TypeError" && codeAndMessageOf(cause) === undefined;
  // Node's `fetch` refuses the signal of another realm.
  return isWithoutCode && !cause.message.includes("AbortSignal");
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

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : "";
}

function withCode(code: string, message: string): string {
  if (message.includes(code)) return message;
  return message === "" ? code : `${code}: ${message}`;
}
