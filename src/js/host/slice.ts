// Time slices: long work yields the thread every few milliseconds.

import { now } from "./clock.js";
import { yieldNow } from "./yield_now.js";

/** The length of a time slice in milliseconds: half a frame at 60 Hz. */
const SLICE = 8;

/** When the slice began. All calls share it, because they share the thread. */
let began = Number.NEGATIVE_INFINITY;

/** The milliseconds that are left of the slice. */
export function timeLeft(): number {
  return Math.min(SLICE, Math.max(0, began + SLICE - now()));
}

/** Yields the thread if the slice is used up; undefined if it is not. */
export function pause(): Promise<void> | undefined {
  const used = now() - began;
  // The clock of fake timers that have been put back may have been ahead.
  return used > SLICE || used < 0 ? nextSlice() : undefined;
}

async function nextSlice(): Promise<void> {
  await yieldNow();
  began = now();
}

/** Waits for the host, which was asked at the time `from`. If that takes longer than a slice, the host has had a turn, so a new slice begins. */
export async function waited<Value>(promise: Promise<Value>, from: number = now()): Promise<Value> {
  try {
    return await promise;
  } finally {
    const to = now();
    // Unless other work has begun a slice meanwhile, perhaps in this task.
    if (to - from > SLICE && began <= from) began = to;
  }
}
