// The page that the script belongs to, if there is one.

import { orUndefined } from "./member.js";

/** Whether the host is a page, or a worker of one. */
export function hasPage(): boolean {
  return pageUrl() !== undefined;
}

/** The URL that relative URLs are resolved against. */
export function pageUrl(): string | undefined {
  // Deno throws where there is no location.
  return orUndefined(() => globalThis.document?.baseURI ?? globalThis.location?.href);
}
