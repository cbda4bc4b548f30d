/** The service worker of this page: registered, and waited for until it has the page’s requests in its hands. */

/** Milliseconds that a service worker may take to be installed and to take over. */
const patience = 5_000;

/** Milliseconds in which one that runs already would have taken over. */
const shortPatience = 250;

/**
 * Whether this page’s requests go through the service worker. Not so where there is none, and in a page that was reloaded
 * by force: the browser keeps it out until its next load.
 */
export async function isControlled(script: URL): Promise<boolean> {
  if (!("serviceWorker" in navigator)) {
    return false;
  }
  try {
    const { active } = await navigator.serviceWorker.register(script);
    return await hasController(active?.state === "activated" ? shortPatience : patience);
  } catch {
    // A browser may refuse, in a private window for example.
    return false;
  }
}

function hasController(within: number): Promise<boolean> {
  const { serviceWorker } = navigator;
  if (serviceWorker.controller !== null) {
    return Promise.resolve(true);
  }
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), within);
    serviceWorker.addEventListener(
      "controllerchange",
      () => {
        clearTimeout(timer);
        resolve(true);
      },
      { once: true },
    );
  });
}
