// Whether the host is offline.

import { orUndefined } from "./member.js";

/** Whether the host reports that it is offline. */
export function isOffline(): boolean {
  return orUndefined(() => navigator.onLine) === false;
}
