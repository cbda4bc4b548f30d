// How a promise of anybody settles, which may be of another realm and have members of the caller's.

/** A promise that settles as another does, or resolves when it is released. */
export interface Settlement {
  readonly promise: Promise<unknown>;
  /** Resolves the promise, unless it has settled. */
  release(): void;
}

/** Returns the settlement of a promise. Any other value counts as a promise resolved with it. */
export function settlementOf(value: unknown): Settlement {
  let release = () => {};
  const promise = new Promise<unknown>((resolve, reject) => {
    release = () => resolve(undefined);
    adopted(value).then(resolve, reject);
  });
  return { promise, release };
}

/** Marks a promise as handled, so that the host does not report an unhandled rejection. */
export function ignoreRejection(promise: unknown): void {
  adopted(promise).catch(() => {});
}

/** Calls a function with the reason if a promise is rejected. */
export function tellRejection(promise: unknown, rejected: (reason: unknown) => void): void {
  adopted(promise).catch(rejected);
}

/**
 * Wraps a promise in one of the package's own, which settles as it does. `Promise.resolve` would return the promise itself, whose members
 * may be the caller's and throw.
 */
function adopted(value: unknown): Promise<unknown> {
  return new Promise((resolve) => resolve(value));
}
