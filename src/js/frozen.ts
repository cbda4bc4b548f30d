// The time for which the page was frozen, which no timeout counts: a page in the back/forward cache, or in the background on a phone.

import { listen } from "./shared-listener.js";

/** Milliseconds, up to the last resumption. */
let frozen = 0;
/** When the page was frozen, by `performance.now()`, if it has not been resumed. */
let since: number | undefined;
/** The clocks that run. */
let clocks = 0;
let listeners: (() => void)[] = [];

/** A clock that stands still while the page is frozen. */
export class AwakeClock {
  readonly #frozenBefore: number;

  constructor() {
    if (clocks++ === 0) watch();
    this.#frozenBefore = frozen;
  }

  /** Milliseconds since its beginning for which the page was frozen. */
  frozen(): number {
    // A timer may ring before the event that tells of the resumption.
    resume();
    return frozen - this.#frozenBefore;
  }

  /** Ends the clock. */
  end(): void {
    if (--clocks > 0) return;
    for (const end of listeners) end();
    listeners = [];
    since = undefined;
  }
}

function watch(): void {
  if (typeof document === "undefined") return;
  listeners = [
    listen(document, "freeze", freeze),
    listen(document, "resume", resume),
    listen(window, "pagehide", freeze),
    listen(window, "pageshow", resume),
  ];
}

function freeze(): void {
  since ??= performance.now();
}

function resume(): void {
  if (since !== undefined) frozen += performance.now() - since;
  since = undefined;
}
