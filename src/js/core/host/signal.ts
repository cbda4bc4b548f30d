// The signals that end a call.

import type { Listenable } from "./shared-listener.js";

/** What ends a call: an `AbortSignal`, or what has these members. */
export interface EndSignal extends Listenable {
  readonly aborted: boolean;
  readonly reason: unknown;
}

/** Signals, of which some may be absent. */
export type Signals = readonly (EndSignal | undefined)[];

/** Whether one of the signals has been aborted. */
export function isAborted(signals: Signals): boolean {
  for (const signal of signals) if (signal?.aborted) return true;
  return false;
}

/** Whether one of the signals has been aborted with this reason. */
export function isReasonOf(signals: Signals, reason: unknown): boolean {
  return signals.some((signal) => signal?.aborted && Object.is(signal.reason, reason));
}
