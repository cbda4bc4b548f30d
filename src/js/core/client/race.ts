// What ends a call before WebAssembly is ready: the signals and `totalTimeout`.

import { FindingsError } from "../error/error.js";
import { listen } from "../host/shared-listener.js";
import type { Signals } from "../host/signal.js";
import type { CallTarget } from "../table/call-target.js";

/**
 * Prepares a call, which `target` describes. Rejects if one of the signals is aborted first, or after `totalTimeout`;
 * leaves no listener and no timer behind.
 */
export async function unlessEnded<Result>(
  signals: Signals,
  totalTimeout: number | undefined,
  target: Partial<CallTarget>,
  prepare: () => Promise<Result>,
): Promise<Result> {
  const aborted = signals.find((signal) => signal?.aborted);
  if (aborted) throw aborted.reason;
  const after: (() => void)[] = [];
  const ended = new Promise<never>((_, reject) => {
    for (const signal of signals) {
      if (signal !== undefined) after.push(listen(signal, "abort", () => reject(signal.reason)));
    }
    if (totalTimeout !== undefined) {
      const outran = `WebAssembly was not ready within the totalTimeout of ${totalTimeout} ms`;
      const timer = setTimeout(() => reject(new FindingsError("timeout", outran, target)), totalTimeout);
      after.push(() => clearTimeout(timer));
    }
  });
  try {
    return await Promise.race([ended, prepare()]);
  } finally {
    for (const end of after) end();
  }
}
