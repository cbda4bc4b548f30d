// The next animation frame, or a timer where there are no frames.

/** Replaces a frame where there are none: the time between two frames at 60 Hz, in milliseconds. */
const FRAME = 16;

/** How long to wait for a frame, in milliseconds: a hidden page has none. */
const LONGEST = 250;

/** A call that waits for a frame. */
export interface Frame {
  /** Whether the call may never come, because the page has replaced its timers, as fake timers are put back. */
  readonly isLost: boolean;
  /** Cancels the call. */
  cancel(): void;
}

/** Calls `callback` once: at the next frame, but after 250 ms at the latest; outside of pages, after 16 ms. */
export function atNextFrame(callback: () => void): Frame {
  const { setTimeout } = globalThis;
  const hasFrames = typeof document === "object" && typeof requestAnimationFrame === "function";
  const run = () => {
    cancel();
    callback();
  };
  const timer = setTimeout(run, hasFrames ? LONGEST : FRAME);
  const frame = hasFrames && !document.hidden ? requestAnimationFrame(run) : undefined;
  const cancel = () => {
    clearTimeout(timer);
    if (frame !== undefined) cancelAnimationFrame(frame);
  };
  return {
    get isLost() {
      return setTimeout !== globalThis.setTimeout;
    },
    cancel,
  };
}
