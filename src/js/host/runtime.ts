// The hosts in which requests behave differently from those of a page.

import { orUndefined } from "./member.js";

/** Whether this is Node. Electron's pages have a `process`, too, but Chromium's `fetch`. */
export function isNode(): boolean {
  const { process } = globalThis as { process?: { release?: { name?: unknown } } };
  return process?.release?.name === "node" && !/Chrom(e|ium)\//.test(globalThis.navigator?.userAgent);
}

/**
 * Whether what a call sends and waits for ends with the request to a server that has begun it. Then no call may wait for another one: each has a
 * client of its own in the module.
 */
export function endsWithRequest(): boolean {
  return orUndefined(() => navigator.userAgent) === "Cloudflare-Workers";
}
