// The hosts in which requests behave differently from those of a page.

/** Whether this is Node. Electron's pages have a `process`, too, but Chromium's `fetch`. */
export function isNode(): boolean {
  const { process } = globalThis as { process?: { release?: { name?: unknown } } };
  return process?.release?.name === "node" && !/Chrom(e|ium)\//.test(globalThis.navigator?.userAgent);
}

/**
 * Whether the host ends everything that a call sends and waits for when the server's request that began the call ends. Then no call may wait for
 * another call, so each call gets a separate client in the module.
 */
export function endsWithRequest(): boolean {
  return globalThis.navigator?.userAgent === "Cloudflare-Workers";
}
