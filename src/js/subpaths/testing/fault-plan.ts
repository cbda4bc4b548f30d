// The faults of a service: which requests fail, and how.

import type { Faults } from "./fake-service.js";
import { Random } from "./random.js";
import { RateLimit } from "./rate-limit.js";

/** A failure: a status, a broken connection, no response at all, or broken JSON. */
export type Failure = 429 | 500 | 502 | 503 | 504 | "broken" | "silent" | "malformed";

/** What happens to a request. */
export interface Fate {
  /** Milliseconds before the response. */
  readonly latency: number;
  readonly failure: Failure | undefined;
}

const serverErrors = [500, 502, 503, 504] as const;

export class FaultPlan {
  readonly #faults: Faults;
  readonly #limit: RateLimit | undefined;
  /** The paths that have failed. */
  readonly #failed = new Set<string>();

  constructor(faults: Faults) {
    this.#faults = faults;
    this.#limit = faults.rateLimit === undefined ? undefined : new RateLimit(faults.rateLimit);
  }

  /** Decides on the request number `count` for a path. */
  fateOf(seed: number, path: string, count: number): Fate {
    const random = new Random(seed, "faults", path, count);
    const { latency = 0, jitter = 0, once = false } = this.#faults;
    const total = latency + random.next() * jitter;
    const failure = this.#limit?.refuses(performance.now()) ? 429 : this.#failure(random);
    if (failure === undefined || (once && this.#failed.has(path))) return { latency: total, failure: undefined };
    this.#failed.add(path);
    return { latency: total, failure };
  }

  #failure(random: Random): Failure | undefined {
    const { errorRate = 0, reset = 0, stall = 0, malformed = 0 } = this.#faults;
    const drawn = random.next();
    if (drawn < errorRate) return random.oneOf(serverErrors);
    if (drawn < errorRate + reset) return "broken";
    if (drawn < errorRate + reset + stall) return "silent";
    return drawn < errorRate + reset + stall + malformed ? "malformed" : undefined;
  }
}
