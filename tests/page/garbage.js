/** Garbage collection on demand. */

import { cdp } from "vitest/browser";
import { pause } from "./outcome.js";

/** Collects all unreachable objects: several times, because finalisers release more. */
export async function collectGarbage() {
  const session = /** @type {any} */ (cdp());
  for (let time = 0; time < 3; time++) {
    await session.send("HeapProfiler.collectGarbage");
    await pause(20);
  }
}
