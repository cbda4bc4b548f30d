// Sends the requests of a call, with the caller's or the global `fetch`.

import type { Options } from "./options.js";

/** Sends a request with these headers; the signal cancels it. Returns the result of `fetch`. */
export type Send = (href: string, headers: Headers, signal: AbortSignal) => unknown;

/** Returns the sender of a call. */
export function senderOf({
  fetch,
  credentials,
  cache,
}: Required<{ [Name in "fetch" | "credentials" | "cache"]: NonNullable<Options[Name]> }>): Send {
  return (href, headers, signal) =>
    fetch(href, {
      method: "GET",
      // A copy, because the caller's fetch may change its argument.
      headers: new Headers(headers),
      credentials,
      cache,
      // A followed redirect could carry credentials to another origin.
      redirect: "manual",
      signal,
    });
}
