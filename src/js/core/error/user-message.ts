// The sentence about a failed call that an end user reads.

import { isObject, memberOf } from "../host/member.js";
import type { AbortSignal } from "../host/platform.js";
import { FindingsError, type FindingsErrorCode } from "./error.js";
import { isFreed } from "./freed.js";

const unknown = "Something went wrong on this page.";
const tooLong = "The service took too long. Please try again.";

/** The sentence for each code; a function where it depends on the error. */
const sentences: Readonly<Record<FindingsErrorCode, string | ((error: FindingsError) => string)>> = {
  // Node has no `onLine`, and Node 20 no `navigator`.
  network: () => (globalThis.navigator?.onLine === false ? "You are offline." : "The service cannot be reached."),
  timeout: tooLong,
  http: ({ status = 302 }) => {
    // A wrong base URL is a 404, too.
    if (status === 404) return "The findings of this inspection cannot be found.";
    // A redirect, whose status browsers hide.
    if (status >= 300 && status < 400) return "Your session may have ended. Please sign in again.";
    return "The service is not available now. Please try again later.";
  },
  unauthorized: ({ status }) =>
    status === 403 ? "Access to this inspection was denied." : "Your session has ended. Please sign in again.",
  service: ({ messages }) => messages.join(" ") || "The service reported an error.",
  decode: "The service sent something unexpected.",
  "too-large": "A part of this inspection is too large.",
  incomplete: "The inspection has changed meanwhile. Please load it again.",
  partial: "Parts of this inspection could not be loaded.",
  bytes: "The saved findings cannot be opened.",
  load: "A part of this page could not be loaded. Please load the page again.",
  // WebAssembly and a worker may have stopped for another reason.
  memory: ({ message }) => (/out of memory/i.test(message) ? "This inspection is too large for this device." : unknown),
};

/**
 * Returns what to show an end user about an error: a sentence in English without URLs, codes and numbers, or undefined if
 * there is no error, or if the call was cancelled, also by `free()` of its client or live table. For code `service`, it is the text of the service, so insert the result as text, never as HTML.
 * Never throws.
 *
 * @param error what a call has rejected with
 * @param signal the signal of the call, which you need only if you abort it with your own reason
 * @example
 * try {
 *   console.log(await client.loadTable(42, "sentiment"));
 * } catch (error) {
 *   document.body.append(messageOf(error) ?? "");
 * }
 */
export function messageOf(error: unknown, signal?: AbortSignal): string | undefined {
  if (error instanceof FindingsError) {
    // A newer copy of the package may have other codes.
    const sentence = sentences[error.code] ?? unknown;
    return typeof sentence === "function" ? sentence(error) : sentence;
  }
  const name = isObject(error) ? memberOf(error, "name") : undefined;
  if (name === "TimeoutError") return tooLong;
  const isReason = signal?.aborted === true && Object.is(error, signal.reason);
  const isCancelled = error === undefined || name === "AbortError" || isFreed(error) || isReason;
  return isCancelled ? undefined : unknown;
}
