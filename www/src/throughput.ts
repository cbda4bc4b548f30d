/** The pace of a retrieval: how fast findings come, and how long the rest will take at that. */

/** Milliseconds back to which the pace is measured. */
const memory = 4_000;

interface Reading {
  at: number;
  findings: number;
  share: number;
}

export class Pace {
  #readings: Reading[] = [];

  /** Takes note of the findings that are there by now, and of which share of all partitions. */
  read(findings: number, share: number, at: number): void {
    this.#readings.push({ at, findings, share });
  }

  /** Findings per second, lately; undefined as long as none have come. */
  rate(now: number): number | undefined {
    const { seconds, findings } = this.#lately(now);
    return findings > 0 && seconds > 0 ? findings / seconds : undefined;
  }

  /** Milliseconds until everything is there; undefined as long as nobody can say. */
  left(now: number): number | undefined {
    const { seconds, share, missing } = this.#lately(now);
    return share > 0 ? (missing / share) * seconds * 1000 : undefined;
  }

  #lately(now: number): { seconds: number; findings: number; share: number; missing: number } {
    while (this.#readings.length > 2 && (this.#readings[1]?.at ?? now) < now - memory) {
      this.#readings.shift();
    }
    const first = this.#readings[0] ?? { at: now, findings: 0, share: 0 };
    const last = this.#readings.at(-1) ?? first;
    return {
      seconds: (now - first.at) / 1000,
      findings: last.findings - first.findings,
      share: last.share - first.share,
      missing: 1 - last.share,
    };
  }
}
