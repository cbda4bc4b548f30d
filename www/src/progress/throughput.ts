/** The throughput of a retrieval: findings per second, and the time left. */

/** The period over which the throughput is measured, in milliseconds. */
const period = 4_000;

interface Reading {
  at: number;
  findings: number;
  share: number;
}

export class Throughput {
  #readings: Reading[] = [];

  /** Adds a reading: the findings received so far, and the share of all partitions. */
  add(findings: number, share: number, at: number): void {
    this.#readings.push({ at, findings, share });
  }

  /** Findings per second in the last period; undefined if none arrived. */
  rate(now: number): number | undefined {
    const { seconds, findings } = this.#recent(now);
    return findings > 0 && seconds > 0 ? findings / seconds : undefined;
  }

  /** The estimated time left, in milliseconds; undefined if there is no estimate. */
  left(now: number): number | undefined {
    const { seconds, share, missing } = this.#recent(now);
    return share > 0 ? (missing / share) * seconds * 1000 : undefined;
  }

  #recent(now: number): { seconds: number; findings: number; share: number; missing: number } {
    while (this.#readings.length > 2 && (this.#readings[1]?.at ?? now) < now - period) {
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
