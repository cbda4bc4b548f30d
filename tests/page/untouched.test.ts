/**
 * Untouched findings: they equal the result of `JSON.parse`, whatever they and the other partitions contain. Any spelling, and what is no JSON, is
 * proved by src/chunk/decode/reference.rs and tests/load/fuzz.
 */

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { ruleCasesOf } from "../counts.js";
import { getFindings, getPartition } from "./place.js";
import { expectSame } from "./same.js";
import { fetchOf, load } from "./tables.js";
import { Wire } from "./wire.js";

/** Texts with lone surrogates. */
const anyCodeUnits = fc.array(fc.nat(0xffff), { maxLength: 4 }).map((units) => String.fromCharCode(...units));
const longText = fc.constantFrom("x".repeat(5000), "é".repeat(40_000), "€".repeat(3000));

const special = {
  "negative zero": '{"a":-0,"b":-0.0,"c":0,"d":-0e5}',
  "a number beyond every number": '{"a":1e400,"b":-1e400}',
  "numbers at the edges":
    '{"a":1e-400,"b":5e-324,"c":1.7976931348623157e308,"d":9007199254740993,"e":0.1,"f":1E+2,"g":123456789012345678901234567890}',
  "a lone surrogate": '{"a":"\\ud800","b":"\\udc00x","\\ud800":1,"c":"\\ud83d\\ude00","d":"\\ude00\\ud83d"}',
  "a duplicate key": '{"a":1,"b":2,"a":3}',
  "a duplicate key that is written in two ways": '{"a":1,"\\u0061":2}',
  "a key named __proto__": '{"__proto__":{"polluted":true},"a":{"__proto__":null},"b":{"__proto__":1,"__proto__":[2]}}',
  "keys of Object.prototype": '{"constructor":1,"toString":null,"hasOwnProperty":{},"length":0}',
  "keys that are indexes": '{"b":1,"10":2,"2":3,"a":4,"-1":5,"4294967295":6}',
  "an empty key": '{"":{"":[]}}',
  "escapes in keys and values": '{"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000"}',
  "missing and null": '{"a":null}',
  "128 levels of objects": `{"deep":${'{"a":'.repeat(128)}1${"}".repeat(128)}}`,
  "128 levels of lists": `{"deep":${"[".repeat(128)}1${"]".repeat(128)}}`,
  "nested values": '{"a":[1,[2,{"b":[{}]}],[]],"c":{"d":{"e":"f"}}}',
  "text of every width": '{"a":"é €  \u{1F600} \u2028 \u2029 \ufeff \uffff"}',
  "white space between all tokens": ' \n\r\t{ "a" \n: [ 1 , 2 ] , "b" : { } } ',
  "fields of its own named like the response's": '{"Findings":[1],"errors":["no failure"]}',
  nothing: "{}",
};

// P7
test("findings with unusual values equal the results of JSON.parse, alone, beside each other and beside those of other partitions", async () => {
  const bodies = Object.values(special).map((finding) => `{"Findings":[${finding},{"next":1}],"errors":null}`);
  bodies.push(`{"Findings":[${Object.values(special)}]}`);
  const expected = bodies.map((body) => JSON.parse(body).Findings);
  for (const [index, body] of bodies.entries()) {
    expectSame(await getPartition(1, "topics", 0, { fetch: async () => new Response(body) }), expected[index]);
  }
  expectSame(await getFindings(1, "topics", { fetch: fetchOf(bodies) }), expected.flat());
  expectSame((await load(bodies)).toArray(), expected.flat());
});

// P7
test("any findings in any partitions equal the result of JSON.parse, as arrays and as a table", async () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 6 }), anyCodeUnits, longText);
  const value = fc.jsonValue({ stringUnit: "binary", maxDepth: 4 });
  const finding = fc.dictionary(text, fc.oneof(value, text), { maxKeys: 4, noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(finding, { maxLength: 4 }), { maxLength: 5 }), async (partitions) => {
      const bodies = partitions.map((findings) => JSON.stringify({ Findings: findings }));
      const expected = bodies.flatMap((body) => JSON.parse(body).Findings);
      expectSame(await getFindings(1, "topics", { fetch: fetchOf(bodies) }), expected);
      using table = await load(bodies);
      expectSame(table.toArray(), expected);
      expectSame([...table], expected);
      for (const [index, finding] of expected.entries()) expectSame(table.at(index), finding);
    }),
    { numRuns: ruleCasesOf(400) },
  );
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

test("changing a finding changes no other", async () => {
  const text = '{"a":{"b":{"c":1}},"list":[{"d":1}],"deep":{"list":[1]},"text":"same"}';
  const change = (finding: any) => {
    finding.a.b.c = 2;
    finding.a.more = 1;
    finding.list[0].d = 2;
    finding.deep.list.push(2);
    finding.text = "other";
    delete finding.deep;
  };
  const partitions = Array.from({ length: 3 }, () => `{"Findings":[${Array(200).fill(text)}]}`);
  const table = await load(partitions);
  const findings = await getFindings(1, "topics", { fetch: fetchOf(partitions) });
  for (const [first, ...others] of [findings, table.toArray(), [table.at(0), table.at(0)]]) {
    change(first);
    for (const finding of others) expect(finding).toEqual(JSON.parse(text));
  }
  for (const finding of table) {
    expect(finding).toEqual(JSON.parse(text));
    change(finding);
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
  for (let index = 0; index < 4000; index += 13) expectSame(table.at(index), findings[index]);
  const expected = findings.map(({ a }) => a);
  expectSame(table.column("a"), expected);
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
    for (const { iterator } of tables) iterator.next();
    expect(table.columns.length).toBe(900 + 17 * 31 + 31);
  }
  for (const [time, { table, iterator, view }] of tables.entries()) {
    expectSame(iterator.next().value, findings[8 - time]);
    expect(table.toArray()).toEqual(findings);
    expect(view.length).toBe(6000);
    view.free();
  }
});
