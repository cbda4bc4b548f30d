// Signals that follow the caller's, for an abort that no listener of the caller's can hide.

/** One for each signal, not one for each call: Node 22 keeps something of every follower as long as the signal itself. */
const followers = new WeakMap<AbortSignal, AbortSignal>();

/**
 * A signal that is aborted whenever another one is. The event of that one is not certain to come: a listener that was there before
 * can hide it from all others by `stopImmediatePropagation()`.
 *
 * What has the shape of a signal and is none cannot be followed, and is given back.
 */
export function followerOf(signal: AbortSignal): AbortSignal {
  const follower = followers.get(signal) ?? follow(signal);
  followers.set(signal, follower);
  return follower;
}

function follow(signal: AbortSignal): AbortSignal {
  try {
    // Before AbortSignal.any (Chrome 116, Firefox 124, Safari 17.4) only requests had signals that follow; this one is never sent.
    return "any" in AbortSignal ? AbortSignal.any([signal]) : new Request("data:,", { signal }).signal;
  } catch {
    return signal;
  }
}
