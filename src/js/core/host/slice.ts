// Time slices: long work yields the thread every few milliseconds.

import { now } from "./clock.js";
import { yieldNow } from "./yield-now.js";

/** The length of a time slice in milliseconds: half a frame at 60 Hz. */
const SLICE = 8;

/** When the slice began; undefined once the host has had a turn. All calls share it, because they share the thread. */
let began: number | undefined;

/** The milliseconds that are left of the slice. */
export function timeLeft(): number {
  return Math.min(SLICE, Math.max(0, SLICE - used()));
}

/** Yields the thread if the slice is used up; undefined if it is not. */
export function pause(): Promise<void> | undefined {
  const time = used();
  // The clock of fake timers that have been put back may have been ahead.
  return time > SLICE || time < 0 ? nextSlice() : undefined;
}

function used(): number {
  const from = began ?? begin();
  return now() - from;
}

async function nextSlice(): Promise<void> {
  await yieldNow();
  begin();
}

/** Begins a slice, which ends with the next turn of the host, also if the work does not wait for it. */
function begin(): number {
  void yieldNow().then(() => {
    began = undefined;
  });
  began = now();
  return began;
}
