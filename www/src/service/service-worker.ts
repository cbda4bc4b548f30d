/** The registration of the service worker, and the wait until it controls the page. */

/** Milliseconds to wait for a new service worker to be installed and to control the page. */
const installTimeout = 5_000;

/** Milliseconds to wait for an active service worker to control the page. */
const controlTimeout = 1_000;

/**
 * Whether the service worker controls this page. One that is active takes control on request of a page that was loaded without it: by a
 * forced reload, or while it became active.
 */
export async function isControlled(script: URL): Promise<boolean> {
  if (!("serviceWorker" in navigator)) {
    return false;
  }
  try {
    const { active } = await navigator.serviceWorker.register(script);
    if (active?.state !== "activated") {
      return await hasController(installTimeout);
    }
    if (navigator.serviceWorker.controller === null) {
      active.postMessage("CONTROL_REQUEST");
    }
    return await hasController(controlTimeout);
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

/** Resolves with the identity of this page for the service worker that controls it. */
export function identityOfPage(): Promise<string> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }) => {
      port1.close();
      resolve(data);
    };
    navigator.serviceWorker.controller?.postMessage("IDENTITY_REQUEST", [port2]);
  });
}
