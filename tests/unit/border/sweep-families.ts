/** What the sweep does to a call: for each target, at its k-th occasion. */

import { border, host, turn } from "./sweep-world.ts";

/** The call that is disturbed. */
export interface Disturbed {
  /** Called when the package calls a function of the caller. */
  hook: (name: string) => void;
  isOver: boolean;
  /** Ends something, or begins it. Returns false if the call has no such end. */
  act: (name: string) => boolean;
}

export interface Family {
  readonly targets: () => string[];
  /** Begins to disturb. `stop` ends that, `hasCome` tells whether there was a k-th occasion. */
  readonly arm: (target: string, k: number, call: Disturbed) => { stop: () => unknown; hasCome: () => boolean };
  /** The largest k, unless it goes on as long as there is a k-th occasion. */
  readonly most?: number;
  /** Whether the module may stop. */
  readonly mayStop?: boolean;
  /** Whether a call may fail in any way; and one of another client in any way, too, or because the module has stopped. */
  readonly mayFail?: "all" | "stopped";
  /** The first requests for these partitions are refused. */
  readonly faults?: string[];
  /** Whether the call has to end with the end that comes. */
  readonly endsAtOnce?: boolean;
  /** Whether the caller passes functions. */
  readonly hasFunctions?: boolean;
  /** The size of partitions. */
  readonly findings?: number;
  /** By how many pages the memory of the module may grow in all. */
  readonly pages?: (k: number) => number;
}

/** What is thrown. */
export const THROWN = new host.Error("thrown at the border");

function thrown(): never {
  throw THROWN;
}

function trap(): never {
  throw new WebAssembly.RuntimeError("unreachable");
}

/** Returns a function that acts when it is called for the k-th time. */
function counter(k: number, act: () => void) {
  const count = Object.assign(
    () => {
      if (++count.calls === k) act();
    },
    { calls: 0 },
  );
  return count;
}

const traps: Family = {
  mayStop: true,
  mayFail: "stopped",
  targets: () => ["import", "export"],
  arm(target, k) {
    const count = counter(k, trap);
    border.crosses = (side) => side === target && count();
    return { stop: () => Object.assign(border, { crosses: undefined }), hasCome: () => count.calls >= k };
  },
};

const ENDS = ["abort", "free", "freeTable", "cancel", "freeLive", "return", "cancelResume", "abortFree"];

/** A call is ended after so many turns of the event loop, and k microtasks. */
const ends: Family = {
  endsAtOnce: true,
  hasFunctions: true,
  // So there is a backoff.
  faults: ["Topics/2"],
  targets: () => ENDS.flatMap((end) => [0, 1, 2, 3, 4, 6, 9, 13].map((turns) => `${end} ${turns}`)),
  most: 25,
  arm(target, k, call) {
    const [end = "", turns] = target.split(" ");
    let hasCome = false;
    void (async () => {
      for (let left = Number(turns); left > 0; left--) await turn();
      for (let left = k; left > 1; left--) await undefined;
      hasCome = !call.isOver && call.act(end);
    })();
    return { stop() {}, hasCome: () => hasCome };
  },
};

const FUNCTIONS =
  "headers fetch onProgress onPartition readCounts subscriber snapshot signal.aborted signal.reason signal.add signal.remove response.status response.headers response.body getReader reader.read reader.cancel".split(
    " ",
  );
const ACTIONS = "begin abort free freeOther freeTable cancel freeLive resumeLive return next resume throw".split(" ");
/** A function of the caller calls back at its k-th call. */
const enters: Family = {
  hasFunctions: true,
  faults: ["Topics/2"],
  targets: () => FUNCTIONS.flatMap((name) => ACTIONS.map((action) => `${name} ${action}`)),
  most: 8,
  arm(target, k, call) {
    const [name = "", action = ""] = target.split(" ");
    let [isIn, hasCome] = [false, false];
    const count = counter(k, () => {
      isIn = true;
      try {
        if (action === "throw") thrown();
        hasCome = call.act(action);
      } finally {
        isIn = false;
      }
    });
    call.hook = (called) => {
      if (called === name && !isIn) count();
    };
    const stop = () => {
      call.hook = () => {};
    };
    return { stop, hasCome: () => hasCome || (action === "throw" && count.calls >= k) };
  },
};

/** The memory has room for a first call, and little more. */
const memory: Family = {
  mayFail: "all",
  findings: 100,
  targets: () => ["grows"],
  most: 10,
  pages: (k) => 5 + k,
  arm: () => ({ stop() {}, hasCome: () => true }),
};

export const FAMILIES: Record<string, Family> = { traps, ends, enters, memory };
