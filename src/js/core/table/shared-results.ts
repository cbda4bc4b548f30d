// Results that the tables of one catalog share, so that each is made only once.

import { weakly } from "../host/weak.js";
import { SharedGroups } from "./rows/groups.js";
import { Layouts } from "./rows/row-layout.js";

/** The results that a table shares with its views. */
export class SharedResults {
  readonly layouts = new Layouts();

  /** The groups of queries; undefined if no other table can have the same groups. */
  get groups(): SharedGroups | undefined {
    return undefined;
  }
}

/**
 * The results that the snapshots of a live table share. While it loads, all are kept for the next snapshot. Afterwards,
 * the groups are kept only until the next garbage collection, because they may be as large as all findings.
 */
export class LiveResults extends SharedResults {
  #groups: SharedGroups | undefined = new SharedGroups();
  #last = weakly(this.#groups as SharedGroups);

  override get groups(): SharedGroups {
    const known = this.#groups ?? this.#last();
    if (known !== undefined) return known;
    const groups = new SharedGroups();
    this.#last = weakly(groups);
    return groups;
  }

  /** Leaves the results to garbage collection. */
  release(): void {
    this.#groups = undefined;
  }
}
