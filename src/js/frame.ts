// The next frame of the page, or a timer where there are no frames.

/** The time between two frames at 60 Hz, in milliseconds, where there are no frames. */
const FRAME = 16;

/** The time to wait for a frame, in milliseconds: a hidden page has none. */
const LONGEST = 250;

/**
 * Calls `callback` once, at the next frame of a visible page; after 250 ms if there is none by then, or after 16 ms outside of pages.
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
