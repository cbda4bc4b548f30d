// Dependent signals: aborted with the caller's signal, and beyond the reach of the caller's listeners.

/** One per signal, not one per call: Node 22 keeps memory for each dependent signal as long as the signal itself. */
const followers = new WeakMap<AbortSignal, AbortSignal>();

/**
 * Returns a signal that is aborted when another one is. Events of the caller's signal are not reliable: an earlier listener
 * can hide them from all others by `stopImmediatePropagation()`.
 *
 * Returns an object that only has the shape of a signal as it is.
 */
export function followerOf(signal: AbortSignal): AbortSignal {
  const follower = followers.get(signal) ?? follow(signal);
  followers.set(signal, follower);
  return follower;
}

function follow(signal: AbortSignal): AbortSignal {
  try {
    // Before AbortSignal.any (Chrome 116, Firefox 124, Safari 17.4) only a Request had a dependent signal. It is never sent.
    return "any" in AbortSignal ? AbortSignal.any([signal]) : new Request("data:,", { signal }).signal;
  } catch {
    return signal;
  }
}
