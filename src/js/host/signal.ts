// The signals that end a call.

import type { AbortSignal } from "./platform.js";

/** Signals, of which some may be absent. */
export type Signals = readonly (AbortSignal | undefined)[];

/** Whether one of the signals has been aborted. */
export function isAborted(signals: Signals): boolean {
  return signals.some((signal) => signal?.aborted);
}

/** Whether one of the signals has been aborted with this reason. */
export function isReasonOf(signals: Signals, reason: unknown): boolean {
  return signals.some((signal) => signal?.aborted && Object.is(signal.reason, reason));
}
