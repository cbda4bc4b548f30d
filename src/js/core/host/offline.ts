// Whether the host is offline.

/** Whether the host reports that it is offline. */
export function isOffline(): boolean {
  return globalThis.navigator?.onLine === false;
}
