/** The garbage: how a test has it collected. */

import { cdp } from "vitest/browser";
import { pause } from "./outcome.js";

/** Collects everything that nobody can reach: several times, as finalisers let go of more. */
export async function collectGarbage() {
  const session = /** @type {any} */ (cdp());
  for (let time = 0; time < 3; time++) {
    await session.send("HeapProfiler.collectGarbage");
    await pause(20);
  }
}
