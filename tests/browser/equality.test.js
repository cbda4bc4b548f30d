/** Equality: values are equal if `JSON.stringify` writes the same text for them, however the service spells them. */

import fc from "fast-check";
import { FindingsClient } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { timesOf } from "../counts.js";
import * as model from "./model.js";
import { expectSame } from "./same.js";
import { load, tableOf } from "./tables.js";
import { responseOf, Wire } from "./wire.js";

/** @typedef {import("./tables.js").Table} Table */

const spaces = fc.constantFrom("", "", "", " ", "\n\t");

/** One of these spellings, which spaces or line breaks separate. */
function oneOf(/** @type {string} */ list) {
  return fc.constantFrom(...list.trim().split(/\s+/));
}

/** Numbers, several spellings of each; some are equal only inside of arrays and objects. */
const numbers = oneOf(`
  0 -0 0.0 -0e5 0E-400 1 1.0 1e0 10e-1 0.1e1 2 2.00 -2 -2.0 100 1e2 1E+2 0.1 1e-1 0.10 0.1000000000000000055511151231257827
  5e-324 3e-324 1e21 1000000000000000000000 9007199254740993 9007199254740992 2147483648 2147483648.0 1e-7 0.0000001`);
const infinities = oneOf("1e400 -1e400 1e999 null");
const texts = oneOf(String.raw`
  "" "a" "\u0061" "\u0061b" "ab" "/" "\/" "\u002f" "é" "\u00e9" "\u00E9" "\n" "\u000A" "😀" "\ud83d\ude00" "\uD83D\uDE00" "\ud800" "\uD800"
  "\udc00x" "\uDC00\u0078" "\u2028" "\u007f" "\u0000" "1" "[1]" "null" "\"" "\u0022" "\\" "\u005C"`);
const words = oneOf("true false null");
const keys = oneOf(String.raw`"a" "\u0061" "b" "1" "10" "2" "\u0032" "__proto__" "" "\ud800" "a.b"`);

/** The text of an array, or of an object with repeated keys, too. */
const { nested } = fc.letrec((/** @type {any} */ tie) => {
  const list = (/** @type {string} */ open, /** @type {string} */ close, /** @type {fc.Arbitrary<string>} */ member) =>
    fc
      .tuple(fc.array(member, { maxLength: 3 }), fc.array(spaces, { minLength: 5, maxLength: 5 }))
      .map(([members, [s, t, u]]) => `${open}${s}${members.join(`${t},${u}`)}${s}${close}`);
  const value = /** @type {fc.Arbitrary<string>} */ (tie("value"));
  const member = fc.tuple(keys, spaces, spaces, value).map(([key, s, t, inner]) => `${key}${s}:${t}${inner}`);
  return {
    value: fc.oneof({ depthSize: "small" }, numbers, infinities, texts, words, tie("nested"), list("{", "}", member)),
    nested: list("[", "]", value),
  };
});

/** Spellings of few values, so that many of them are equal. */
const few = fc.constantFrom(
  ...["[1, 2]", "[ 1e0 ,20e-1\n]", "[ ]", "[{ }]", String.raw`[{ "\u0061": 1.0, "b": 2 }]`],
  ...String.raw`
    [1,2] [1,2.0] [2,1] [] [[]] [0] [-0] [0.0] [null] [1e400] [-1e400] [{"a":1,"b":2}] [{"b":2,"a":1}] [{"a":7,"b":2,"a":1}] [{"2":1,"10":1}]
    [{"10":1,"2":1}] ["a"] ["\u0061"] ["\ud800"] ["\uD800"] ["é"] ["\u00e9"] ["\/"] ["/"] [{}] [{"__proto__":1}]`
    .trim()
    .split(/\s+/),
);

/** A value of a column. Null and infinity are two values there, and an object has columns of its own. */
const values = fc.oneof({ weight: 4, arbitrary: few }, { weight: 2, arbitrary: nested }, numbers, texts, words);

/** Findings as JSON; their numbers tell in which order they are. */
const rows = fc.array(fc.tuple(fc.option(values), few, fc.integer({ min: -2, max: 2 })), { maxLength: 12 });
const partitions = fc.array(rows, { minLength: 1, maxLength: 4 });

function textsOf(/** @type {any[][]} */ given) {
  let number = 0;
  return given.map((rows) => {
    const findings = rows.map(
      ([a, b, n]) => `{${a === null ? "" : `"a":${a},`}"b":${b},"n":${n},"Number":${number++}}`,
    );
    return `{"Findings":[${findings.join(",")}]}`;
  });
}

/** All findings of some bodies, and the same after a round trip, which leaves one of all equal values. */
function findingsOf(/** @type {string[]} */ bodies) {
  /** @type {any[]} */
  const findings = bodies.flatMap((body) => JSON.parse(body).Findings);
  return { findings, alike: /** @type {any[]} */ (JSON.parse(JSON.stringify(findings))) };
}

/** Copies groups, because those of a live table are frozen. */
function thawed(/** @type {{ key: readonly unknown[] }[]} */ groups) {
  return groups.map((group) => ({ ...group, key: [...group.key] }));
}

/**
 * @param {Table} table
 * @param {any[]} alike
 */
function expectGroups(table, alike) {
  const columns = ["a", "b", "n"].filter((name) => alike.some((finding) => name in finding));
  const areThere = (/** @type {string[]} */ names) => names.every((name) => columns.includes(name));
  for (const names of [["a"], ["b"], ["a", "b"], ["b", "n"]].filter(areThere)) {
    const paths = names.map((name) => [name]);
    expectSame(thawed(table.countBy(names)), model.countBy(alike, paths));
    expectSame(thawed(table.summarize(names, "n")), model.summarize(alike, paths, ["n"]));
  }
  for (const name of columns.filter((name) => name !== "n")) {
    for (const direction of /** @type {const} */ (["asc", "desc"])) {
      using sorted = table.sortBy(name, direction);
      /** @type {any[]} */
      const expected = model.sortBy(alike, [name], direction);
      expect([...sorted.column("Number")]).toEqual(expected.map((finding) => finding.Number));
    }
  }
}

describe("however they are spelled, values that JSON.stringify writes alike", () => {
  test("are one group, and keep their order in a sorted view", async () => {
    await fc.assert(
      fc.asyncProperty(partitions, async (given) => {
        const bodies = textsOf(given);
        const { findings, alike } = findingsOf(bodies);
        using table = await load(bodies);
        expectGroups(table, alike);
        if (findings.length > 0) {
          using some = table.filter({ n: { min: 0 } });
          const ofSome = alike.filter(({ n }) => n >= 0);
          expectGroups(some, ofSome);
          using sorted = table.sortBy("n");
          expectGroups(sorted, model.sortBy(alike, ["n"]));
        }
        // What has been grouped is still what the service sent.
        expectSame(table.toArray(), findings);
        expectSame(table.countBy("Number").length, findings.length);
      }),
      { numRuns: timesOf(100) },
    );
  });

  test("are one group in each snapshot of a live table, whichever partition arrives first", async () => {
    await fc.assert(
      fc.asyncProperty(partitions, fc.infiniteStream(fc.nat()), async (given, choices) => {
        const bodies = textsOf(given);
        const wire = new Wire({
          counts: { TopicPartitions: bodies.length, errors: null },
          holds: ({ index }) => index >= 0,
          respond: ({ index }) => (index < 0 ? undefined : responseOf(bodies[index])),
        });
        using client = new FindingsClient({ fetch: wire.fetch, concurrency: bodies.length });
        using live = client.watchTable(1, "topics");
        const left = [...bodies.keys()];
        const received = new Set();
        while (left.length > 0) {
          const [index] = left.splice(choices.next().value % left.length, 1);
          await vi.waitUntil(() => wire.indexes.includes(index));
          wire.release(index);
          received.add(index);
          await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === received.size);
          const { alike } = findingsOf(bodies.filter((_, index) => received.has(index)));
          expectGroups(live.getSnapshot().table, alike);
        }
        using whole = await live.done;
        expectGroups(whole, findingsOf(bodies).alike);
      }),
      { numRuns: timesOf(40) },
    );
  });

  test("are one value of a filter", async () => {
    const table = await tableOf(
      '[{"a":1},{"a":1.0},{"a":10e-1},{"a":"\\u0061"},{"a":"a"},{"a":"\\ud800\\/"},{"a":"\\uD800/"},{"a":1e400},{"a":2e400}]',
    );
    for (const [value, count] of /** @type {const} */ ([
      [1, 3],
      ["a", 2],
      ["\ud800/", 2],
      [Number.POSITIVE_INFINITY, 2],
    ])) {
      expect(table.filter({ a: value }).length).toBe(count);
      expect(table.countBy("a").find(({ key }) => Object.is(key[0], value))?.count).toBe(count);
    }
  });
});

test("a table stays usable where the page has replaced JSON.stringify", async () => {
  const table = await tableOf('[{"a":[1]},{"a":[1]},{"a":[ 1]},{"a":2}]');
  for (const replacement of [
    () => /** @type {any} */ (undefined),
    () => /** @type {any} */ (table.toArray()),
    () => {
      throw new URIError("mine");
    },
  ]) {
    const replaced = vi.spyOn(JSON, "stringify").mockImplementation(replacement);
    using sorted = table.sortBy("a");
    const order = [...sorted.column("a")];
    replaced.mockRestore();
    expect(order).toEqual([2, [1], [1], [1]]);
  }
  expect(table.toArray()).toEqual([{ a: [1] }, { a: [1] }, { a: [1] }, { a: 2 }]);
});
