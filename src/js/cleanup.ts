// The stop of the module: what has to be done should it trap, by those who cannot leave that to its own clean-up.

import { listen } from "./listening.js";

/** What to do, under something that it can be taken back by. */
const duties = new Map<object, () => void>();

/** Has something done if the module stops, until it is taken back by {@link forget}. */
export function atStop(key: object, duty: () => void): void {
  duties.set(key, duty);
}

/** Has a request aborted if the module stops. */
export function abortAtStop(request: AbortController): void {
  atStop(request, () => request.abort());
}

/** Something that is listened for. */
export interface Hearing {
  /** Listens no more. */
  end(): void;
}

/**
 * Calls `hear` after each event of a target, on a stack of its own, until that is ended or the module stops.
 *
 * @throws what the target throws when it is listened to
 */
export function listenUntilStop(target: EventTarget, event: string, hear: () => void): Hearing {
  const end = listen(target, event, hear);
  const hearing = {
    end() {
      forget(hearing);
      end();
    },
  };
  atStop(hearing, end);
  return hearing;
}

/** A time that passes. */
export interface Timer {
  /** Resolved when it has passed. */
  readonly over: Promise<void>;
  /** Lets it go before it has passed. */
  clear(): void;
}

/** A timer that is cleared if the module stops, for it would keep a host such as Node from ending. */
export function startTimer(milliseconds: number): Timer {
  let number: ReturnType<typeof setTimeout> | undefined;
  const clear = () => {
    forget(timer);
    clearTimeout(number);
  };
  const over = new Promise<void>((resolve) => {
    number = setTimeout(() => {
      forget(timer);
      resolve();
    }, milliseconds);
  });
  const timer = { over, clear };
  atStop(timer, clear);
  return timer;
}

/** Nothing need be done any more. */
export function forget(key: object): void {
  duties.delete(key);
}

/** Does everything that has to be done; one that fails leaves the others alone. */
export function stop(): void {
  const due = [...duties.values()];
  duties.clear();
  for (const duty of due) {
    try {
      duty();
    } catch {
      // A signal that does not let go of its listener: there is nobody left to tell.
    }
  }
}
