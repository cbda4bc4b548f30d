// The stop of the module: what has to be done should it trap, by those who cannot leave that to its own clean-up.

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

/** Has a listener taken away if the module stops. */
export function unlistenAtStop(target: EventTarget, event: string, listener: () => void): void {
  atStop(listener, () => target.removeEventListener(event, listener));
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
