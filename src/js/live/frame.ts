// The next animation frame, or a timer where there are no frames.

/** Replaces a frame where there are none: the time between two frames at 60 Hz, in milliseconds. */
const FRAME = 16;

/** How long to wait for a frame, in milliseconds: a hidden page has none. */
const LONGEST = 250;

/**
 * Calls `callback` once: at the next frame, but after 250 ms at the latest; outside of pages, after 16 ms.
 *
 * @returns a function that cancels the call
 */
export function atNextFrame(callback: () => void): () => void {
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
  return cancel;
}
