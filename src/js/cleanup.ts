// Clean-up after a trap: the module stops without running its destructors, so JavaScript releases what it held.

import { AwakeClock } from "./frozen.js";
import { listen } from "./shared-listener.js";

/** Functions to call if the module stops, each under a key. */
const cleanups = new Map<object, () => void>();

/** Registers a function to call if the module stops, unless {@link forget} removes it first. */
export function atStop(key: object, cleanup: () => void): void {
  cleanups.set(key, cleanup);
}

/** Aborts a request if the module stops, unless {@link forget} is called first. */
export function abortAtStop(request: AbortController): void {
  atStop(request, () => request.abort());
}

/** Cancels the body of a response, or of what a promise resolves with, if ever. The value may be anything. */
export function cancelBody(response: unknown): void {
  const settled = new Promise<unknown>((resolve) => resolve(response)) as Promise<Response>;
  settled.then(({ body }) => body?.cancel()).catch(() => {});
}

/** A registered listener. */
export interface Hearing {
  /** Removes the listener. */
  end(): void;
}

/**
 * Calls `callback` after each event of a target, on a fresh stack, until the listener is removed or the module stops.
 *
 * @throws what the target's `addEventListener` throws
 */
export function listenUntilStop(target: EventTarget, event: string, callback: () => void): Hearing {
  const end = listen(target, event, callback);
  const hearing = {
    end() {
      forget(hearing);
      end();
    },
  };
  atStop(hearing, end);
  return hearing;
}

/** A running timer. */
export interface Timer {
  /** Resolves when the time is over, or the timer is cleared. */
  readonly over: Promise<void>;
  /** Clears the timer. */
  clear(): void;
}

/** Starts a timer. Cleared if the module stops, because a pending timer keeps a Node process alive. */
export function startTimer(milliseconds: number): Timer {
  let clear = () => {};
  const over = new Promise<void>((resolve) => {
    const end = () => {
      forget(timer);
      resolve();
    };
    const id = setTimeout(end, milliseconds);
    clear = () => {
      clearTimeout(id);
      end();
    };
  });
  const timer = { over, clear };
  atStop(timer, clear);
  return timer;
}

/**
 * Starts a timer that does not count the time for which the page is frozen.
 */
export function startAwakeTimer(milliseconds: number): Timer {
  const key = {};
  const begun = performance.now();
  const clock = new AwakeClock();
  let timer = startTimer(milliseconds);
  let isCleared = false;
  const clear = () => {
    isCleared = true;
    forget(key);
    clock.end();
    timer.clear();
  };
  const over = (async () => {
    await timer.over;
    for (let counted = 0; !isCleared && clock.frozen() > counted; await timer.over) {
      counted = clock.frozen();
      const left = milliseconds + counted - (performance.now() - begun);
      if (left <= 0) break;
      timer = startTimer(Math.ceil(left));
    }
  })();
  atStop(key, clear);
  return { over, clear };
}

/** Removes the function registered under a key. */
export function forget(key: object): void {
  cleanups.delete(key);
}

/** Calls all registered functions, also after one of them throws. */
export function stop(): void {
  const registered = [...cleanups.values()];
  cleanups.clear();
  for (const cleanup of registered) {
    try {
      cleanup();
    } catch {
      // Such as a signal whose removeEventListener throws. No call is left to report it.
    }
  }
}
