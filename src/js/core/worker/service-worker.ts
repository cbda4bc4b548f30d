// Whether a service worker sees what a worker requests.

/**
 * Whether a service worker may see the requests of a worker with this script although it does not control the page, as
 * after a reload past the cache. A worker with a script from a blob has the page's service worker.
 */
export async function isSeen(script: string | undefined): Promise<boolean> {
  try {
    const { serviceWorker } = navigator;
    if (script === undefined) return (await serviceWorker.getRegistrations()).length > 0;
    const { href, protocol } = new URL(script, document.baseURI);
    // Chromium ends a page that asks about a blob.
    return /^https?:$/.test(protocol) && (await serviceWorker.getRegistration(href)) !== undefined;
  } catch {
    // There are no service workers here, or there is no document.
    return false;
  }
}
