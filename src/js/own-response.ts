// The responses that the engine itself has made, and which of them are best taken as blobs.

/** Whether a value is a response of this realm, as the engine has made it. */
export function isOwn(response: unknown): boolean {
  try {
    const { prototype } = Response;
    // Throws for a proxy of a response.
    Reflect.get(prototype, "url", response);
    return Object.getPrototypeOf(response) === prototype && Object.keys(response as Response).length === 0;
  } catch {
    return false;
  }
}

/**
 * Whether the engine keeps a blob of a response outside of this process until somebody reads it, as Chromium does with what came over the
 * network: its bytes never pass the page's thread. Elsewhere a reader is faster.
 */
export function offersBlob(response: unknown): boolean {
  if (!isChromium() || isServedByWorker() || !isOwn(response)) return false;
  const { url, bodyUsed, body } = response as Response;
  // A response that a script has constructed has no URL.
  return url !== "" && !bodyUsed && body?.locked === false;
}

/** Whether a service worker may have given the response: Chromium does not tell it that a blob of its response is aborted. */
function isServedByWorker(): boolean {
  return Boolean(navigator.serviceWorker?.controller);
}

function isChromium(): boolean {
  return typeof navigator === "object" && /Chrom(e|ium)\//.test(navigator.userAgent);
}
