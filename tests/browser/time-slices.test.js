/**
 * Turns: however much there is to do, others get the thread every few milliseconds. The package decides by the clock, so the clock is
 * the test's here: each look at it takes longer than a turn may, whatever the machine does meanwhile.
 */

import { FindingsClient } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { outcomeOf, rejectionOf } from "./outcome.js";
import { answering, bodyOf, likelyFinding } from "./tables.js";

/** @typedef {"getFindings" | "loadTable"} Method */
/** @typedef {import("./tables.js").Partition[]} Partitions */
/** @typedef {{ time: number, turns: number }} Look a look at the clock, when it was in truth, and how many turns others had had */

/** Milliseconds that pass between two looks at the clock: more than a turn may take, so that each time it is over. */
const between = 9;

/** Bytes that are decoded at most in a turn that is over at the first look. */
const mostBytes = 256 * 1024;

/** Findings that are built at most in such a turn. */
const mostRows = 64;

/** Looks in such a turn: each call at work may have one to see that it is over, and takes the times of its requests besides. */
const mostLooks = 40;

/** How often work is done at most to see how long each part of it takes: what the machine adds is not in the same place every time. */
const mostRuns = 12;

const methods = /** @type {const} */ (["getFindings", "loadTable"]);
const encoder = new TextEncoder();
const each = 2000;

/** 100 000 findings in 50 partitions. */
const partitions = Array.from({ length: 50 }, (_, partition) =>
  encoder.encode(bodyOf(Array.from({ length: each }, (_, number) => likelyFinding((partition % 5) * each + number)))),
);

const realNow = performance.now.bind(performance);

/** What the clock of the page says: never less than before, for the module remembers when its turn began. */
let clock = realNow();

/** @type {Look[]} */
let looks = [];

/** How many turns others have had. */
let turns = 0;

/** @type {(turn: number) => void} what others do in a turn of theirs */
let inTurn = () => {};

const { port1: mine, port2: others } = new MessageChannel();
mine.onmessage = () => {
  turns += 1;
  inTurn(turns);
  others.postMessage(undefined);
};
others.postMessage(undefined);

beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => {
    looks.push({ time: realNow(), turns });
    clock += between;
    return clock;
  });
  inTurn = () => {};
});

/**
 * What a call does between the counts and its end: the looks at the clock, and how many findings it gave.
 * @param {Partitions} partitions
 * @param {Method} method
 */
async function looksOf(partitions, method) {
  using client = new FindingsClient({ fetch: answering(partitions) });
  await client.getPartitionCounts(1);
  looks = [];
  const result = await client[method](1, "topics");
  looks.push({ time: realNow(), turns });
  const { length } = result;
  if (!Array.isArray(result)) {
    result.free();
  }
  return { length, looks };
}

/**
 * Expects that others had a turn whenever a little of the work was done.
 * @param {Look[]} looks
 * @param {{ bytes: number, rows: number }} work
 */
function expectTurns(looks, { bytes, rows }) {
  const had = looks[looks.length - 1].turns - looks[0].turns;
  expect(had).toBeGreaterThanOrEqual(bytes / mostBytes + rows / mostRows);
  const perTurn = Map.groupBy(looks, ({ turns }) => turns);
  expect(Math.max(...[...perTurn.values()].map(({ length }) => length))).toBeLessThanOrEqual(mostLooks);
}

/**
 * The milliseconds from each look to the next, without the turns of others.
 * @param {Look[]} looks
 */
function stretches(looks) {
  return looks.slice(1).map(({ time, turns }, place) => (turns === looks[place].turns ? time - looks[place].time : 0));
}

/**
 * Milliseconds that no part of the work may take in one go: as long as `JSON.parse` takes here and now for 100 MB. That is far more
 * than is promised; what costs more than it should for each byte or row is found by it.
 */
function long() {
  const text = new TextDecoder().decode(partitions[0]);
  const times = Array.from({ length: 20 }, () => {
    const begun = realNow();
    JSON.parse(text);
    return realNow() - begun;
  });
  return (Math.min(...times) * 100e6) / text.length;
}

/**
 * Expects of work that it leaves the thread to others. The looks at the clock are the same every time, so each part of the work takes
 * at most as long as in that run in which it took the shortest time.
 * @param {Partitions} partitions
 * @param {Method} method
 * @param {number} count of the findings
 */
async function expectLeavesTheThread(partitions, method, count) {
  const bytes = partitions.reduce((sum, body) => sum + /** @type {Uint8Array} */ (body).length, 0);
  const work = { bytes, rows: method === "getFindings" ? count : 0 };
  /** @type {number[] | undefined} */
  let shortest;
  for (let run = 0; run < mostRuns; run++) {
    const { length, looks } = await looksOf(partitions, method);
    expect(length).toBe(count);
    expectTurns(looks, work);
    const these = stretches(looks);
    shortest ??= these;
    expect(these).toHaveLength(shortest.length);
    shortest = shortest.map((time, place) => Math.min(time, these[place]));
    if (Math.max(...shortest) < long()) {
      return;
    }
  }
  expect(Math.max(...(shortest ?? []))).toBeLessThan(long());
}

test.for(methods)("%s of 100 000 findings leaves the thread to others", async (method) => {
  await expectLeavesTheThread(partitions, method, 100_000);
});

test.for(methods)("%s of one body of 40 MB leaves the thread to others", async (method) => {
  const findings = Array.from({ length: 80_000 }, (_, number) => likelyFinding(number));
  const body = encoder.encode(bodyOf(findings).replace("[", `[${" ".repeat(8_000_000)}`));
  expect(body.length).toBeGreaterThan(40_000_000);
  await expectLeavesTheThread([body], method, 80_000);
});

/** @type {Record<string, (number: number) => object>} */
const unusual = {
  "whose fields are ever new": (number) => ({ [`field ${number}`]: number, [`other ${number % 5000}`]: { a: 1 } }),
  "with many shapes": (number) =>
    Object.fromEntries(
      Array.from({ length: 14 }, (_, bit) => [`k${bit}`, bit]).filter((_, bit) => number & (1 << bit)),
    ),
  "that are small at first and then large": (number) =>
    number < 20_000 ? { a: 1 } : { a: Array.from({ length: 1000 }, (_, place) => ({ place })) },
  "that are alike at first and then all different": (number) =>
    number < 14_000 ? { a: 1 } : { [`k${number % 2000}`]: 1, b: { [`l${number % 1999}`]: 2 }, c: "x" },
};

test.for(Object.entries(unusual).flatMap(([name, make]) => methods.map((method) => ({ name, make, method }))))(
  "$method of findings $name leaves the thread to others",
  async ({ make, method, name }) => {
    const count = name.includes("large") ? 21_000 : 16_384;
    const partition = encoder.encode(bodyOf(Array.from({ length: count }, (_, number) => make(number))));
    await expectLeavesTheThread([partition, partition], method, 2 * count);
  },
);

test.for(methods)("a timer that is due rings in the midst of %s", async (method) => {
  let [isOver, rangInTime] = [false, false];
  inTurn = () => {
    inTurn = () => {};
    setTimeout(() => {
      rangInTime = !isOver;
    });
  };
  await looksOf(partitions, method);
  isOver = true;
  expect(rangInTime).toBe(true);
});

describe.for(methods)("an abort in a turn of others, in %s", (method) => {
  test.for([1, 20, 200])("is the outcome before the next one, after %i turns", async (after) => {
    using client = new FindingsClient({ fetch: answering(partitions) });
    await client.getPartitionCounts(1);
    const controller = new AbortController();
    const last = turns + after;
    inTurn = (turn) => {
      if (turn === last) {
        controller.abort("enough");
      }
    };
    const outcome = await outcomeOf(client[method](1, "topics", { signal: controller.signal }));
    expect([outcome.reason, turns]).toEqual(["enough", last]);
  });
});

test("an abort while findings are built is the outcome before the next turn, and the next call is right", async () => {
  using client = new FindingsClient({ fetch: answering(partitions) });
  const controller = new AbortController();
  let last = Number.POSITIVE_INFINITY;
  const onProgress = (/** @type {import("inspection-findings").Progress} */ { partitionsDone }) => {
    if (partitionsDone === 50) {
      last = turns + 10;
    }
  };
  inTurn = (turn) => {
    if (turn === last) {
      controller.abort("enough");
    }
  };
  expect(await rejectionOf(client.getFindings(1, "topics", { signal: controller.signal, onProgress }))).toBe("enough");
  expect(turns).toBe(last);
  expect(await client.getFindings(1, "topics")).toHaveLength(100_000);
});
