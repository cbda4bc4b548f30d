// What the tables of a live table share, so that none makes again what another has made.

import { SharedGroups } from "./groups.js";
import { Strings } from "./rows.js";

/** Strings and groups that have been made for one of several tables with the same dictionary. */
export class Results {
  readonly strings = new Strings(true);
  readonly groups = new SharedGroups();
}

/**
 * The results that the snapshots of a live table share. While it is loading they are kept for the next snapshot; then only until a
 * garbage collection, because they may be as large as all findings.
 */
export class SharedResults {
  #kept: Results | undefined = new Results();
  #last = new WeakRef(this.#kept as Results);

  /** Returns the results so far. */
  get(): Results {
    const known = this.#kept ?? this.#last.deref();
    if (known !== undefined) return known;
    const results = new Results();
    this.#last = new WeakRef(results);
    return results;
  }

  /** Leaves the results to garbage collection. */
  release(): void {
    this.#kept = undefined;
  }
}
