/** Findings of several partitions: each equals the result of JSON.parse, whatever the other partitions contain. */

import fc from "fast-check";
import { FindingsClient, getFindings } from "inspection-findings";
import { expect, test, vi } from "vitest";
import { ruleCasesOf } from "../counts.js";
import { failureOf } from "./outcome.js";
import { expectSame } from "./same.js";
import { bodyOf, fetchOf, likelyFinding, load } from "./tables.js";
import { Wire } from "./wire.js";

function anyText() {
  return fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.array(fc.nat(0xffff), { maxLength: 4 }).map((units) => String.fromCharCode(...units)),
    fc.constantFrom("", "é", "ÿ", "Ā", "\u{1F600}", "\ufeff", "x".repeat(5000), "é".repeat(40_000), "€".repeat(3000)),
  );
}

function anyFinding() {
  const key = fc.oneof(fc.constantFrom("a", "b", "Topic", "__proto__", "10", "2", "", "a.b", "constructor"), anyText());
  const { object } = fc.letrec((/** @type {any} */ tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      anyText(),
      fc.integer(),
      fc.double({ noNaN: true }),
      fc.constantFrom(null, true, false, 0),
      fc.array(tie("value"), { maxLength: 3 }),
      tie("object"),
    ),
    object: fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  }));
  return /** @type {fc.Arbitrary<object>} */ (object);
}

test("any findings in any partitions equal what JSON.parse makes of them, as arrays and as a table", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(anyFinding(), { maxLength: 6 }), { maxLength: 5 }), async (partitions) => {
      const expected = partitions.flatMap((partition) => JSON.parse(bodyOf(partition)).Findings);
      expectSame(await getFindings(1, "topics", { fetch: fetchOf(partitions) }), expected);
      using table = await load(partitions);
      expectSame(table.toArray(), expected);
      expectSame([...table], expected);
      for (const [index, finding] of expected.entries()) {
        expectSame(table.at(index), finding);
      }
    }),
    { numRuns: ruleCasesOf(150) },
  );
});

test("findings with special values are unchanged in every partition", async () => {
  const texts = [
    '[{"a":-0,"b":1e400,"c":-1e-400},{"b":0,"a":-0}]',
    '[{"a":"\\ud800","\\ud800":1},{"a":1,"a":2},{"__proto__":{"x":1},"a":{"__proto__":1}}]',
    '[{"b":1,"10":2,"2":3,"a":{"1":1,"0":0}},{"2":3,"10":2,"b":1}]',
    '[{"a":-0,"b":1e400,"c":-1e-400},{"a":{"b":1,"b":2}},{"__proto__":null}]',
  ];
  const expected = texts.flatMap((text) => JSON.parse(text));
  const partitions = texts.map((text) => `{"Findings":${text}}`);
  expectSame(await getFindings(1, "topics", { fetch: fetchOf(partitions) }), expected);
  expectSame((await load(partitions)).toArray(), expected);
});

test("the objects of a partition are built while others are on their way", async () => {
  const decode = vi.spyOn(TextDecoder.prototype, "decode");
  const wire = new Wire({
    holds: ({ index }) => index === 1,
    findings: (index) => [{ Comment: `partition ${index}` }],
  });
  const findings = getFindings(1, "topics", { fetch: wire.fetch, worker: false, completeness: "off" });
  const decoded = () => decode.mock.results.map(({ value }) => value).join("");
  await vi.waitFor(() => expect(decoded()).toMatch(/partition 0.*partition 2/));
  wire.release(1);
  expect((await findings).map(({ Comment }) => Comment)).toEqual(["partition 0", "partition 1", "partition 2"]);
  expect(decoded().match(/partition \d/g)).toHaveLength(3);
});

test.for([10, 5000])("the findings of %i partitions are in index order", async (partitions) => {
  const findings = Array.from({ length: partitions }, (_, index) => [{ index }, { index, text: `${index}` }]);
  expect(await getFindings(1, "topics", { fetch: fetchOf(findings) })).toEqual(findings.flat());
});

test("changing a finding changes no other", async () => {
  const text = '{"a":{"b":{"c":1}},"list":[{"d":1}],"deep":{"list":[1]},"text":"same"}';
  const partitions = Array.from({ length: 3 }, () => `{"Findings":[${Array(200).fill(text)}]}`);
  const findings = /** @type {any[]} */ (await getFindings(1, "topics", { fetch: fetchOf(partitions) }));
  const [first, ...others] = findings;
  first.a.b.c = 2;
  first.a.more = 1;
  first.list[0].d = 2;
  first.deep.list.push(2);
  first.text = "other";
  delete first.deep;
  for (const finding of others) {
    expect(finding).toEqual(JSON.parse(text));
  }
});

test("texts of every length are right, also at the borders of blocks", async () => {
  const pieces = ["ascii ", "Latin é ÿ ", "wide € ", "astral \u{1F600} ", '"\\\n'];
  const findings = Array.from({ length: 4000 }, (_, number) => ({
    a: `${pieces[number % 5].repeat(number % 37)}${number}`,
    b: `${pieces[(number * 7) % 5].repeat(number % 11)}`,
    c: pieces[number % 3].slice(0, number % 3),
    list: [pieces[number % 5]],
  }));
  const partitions = [findings.slice(0, 1500), findings.slice(1500)];
  expectSame(await getFindings(1, "topics", { fetch: fetchOf(partitions) }), findings);
  const table = await load(partitions);
  for (let index = 0; index < 4000; index += 13) {
    expectSame(table.at(index), findings[index]);
  }
  expectSame(
    Array.from(table.column("a")),
    findings.map(({ a }) => a),
  );
});

test.for(
  /** @type {[string, (body: string) => string][]} */ ([
    ["JSON that ends half way", (body) => body.slice(0, -300)],
    ["a finding that is no object", (body) => body.replace(/\],"errors":null\}$/, ",7]}")],
  ]),
)("a partition with %s rejects the call, and leaves the next one right", async ([, spoil]) => {
  const good = Array.from({ length: 400 }, (_, number) => likelyFinding(number));
  const other = good.map((finding, number) => ({
    ...finding,
    [`new ${number % 50}`]: `text ${number}`,
    half: number / 2,
  }));
  using client = new FindingsClient();
  const fetch = fetchOf([good, spoil(bodyOf(other)), good]);
  for (let time = 0; time < 5; time++) {
    const failure = await failureOf(client.loadTable(1, "topics", { fetch }));
    expect([failure.code, failure.partitionIndex]).toEqual(["decode", 1]);
    using table = await client.loadTable(1, "topics", { fetch: fetchOf([good, other]) });
    expect(table.toArray()).toEqual([...good, ...other]);
    using plain = await client.loadTable(1, "topics", { fetch: fetchOf([good]) });
    expect(plain.columns.some((name) => name.startsWith("new"))).toBe(false);
  }
});

test("the memory may grow while rows are built, and while tables and iterators exist", async () => {
  const findings = Array.from({ length: 6000 }, (_, number) => ({
    [`k${number % 900}`]: `text ${number} ${"x".repeat(number % 50)}`,
    [`l${number % 31}`]: { [`m${number % 17}`]: number / 3, list: [number] },
  }));
  const tables = [];
  for (let time = 0; time < 8; time++) {
    const table = await load([findings.slice(0, 3000), findings.slice(3000)]);
    const iterator = table[Symbol.iterator]();
    tables.push({ table, iterator, view: table.sortBy("k1") });
    for (const { iterator } of tables) {
      iterator.next();
    }
    expect(table.columns.length).toBe(900 + 17 * 31 + 31);
  }
  for (const [time, { table, iterator, view }] of tables.entries()) {
    expectSame(iterator.next().value, findings[8 - time]);
    expect(table.toArray()).toEqual(findings);
    expect(view.length).toBe(6000);
    view.free();
  }
});
