/** The findings of a partition as the service wrote them: each is found in any valid body, with the exact value of every integer. */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PartitionSource } from "../../src/js/command/partition-source.js";
import { nameOf } from "../../src/js/table/column-path.js";
import { timesOf } from "../counts.js";
import { exactJson } from "./file-readers.js";

const key = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("Findings", "errors", "a.b", "a", "b\\", "__proto__"),
);
const scalar = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom('s"', "i1", "9007199254740993", '],"Findings":[', "\\", '\\"', "1234567890123456"),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map(objectOf),
  ),
}));
const finding = fc.array(fc.tuple(key, value), { maxLength: 4 }).map(objectOf);

/** Findings and names with few keys, so that they often meet. */
const selectedKey = fc.constantFrom("a", "b", "a.b", "\\", "é", "__proto__", "");
const { value: selectableValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(1, "x", null, [{ a: 1 }]),
    fc.dictionary(selectedKey, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const selectable = fc.dictionary(selectedKey, selectableValue, { maxKeys: 4, noNullPrototype: true });

/** JSON with this space between tokens. An integer is a `bigint` where a double would round it. */
function jsonOf(value: unknown, space: string): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value))
    return `[${space}${value.map((item) => jsonOf(item, space)).join(`${space},${space}`)}${space}]`;
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}${space}:${space}${jsonOf(member, space)}`,
  );
  return `{${space}${members.join(`${space},`)}${space}}`;
}

test("finds every finding in any body, with its exact integers", () => {
  const bodies = fc.record({
    findings: fc.array(finding, { maxLength: 4 }),
    before: fc.array(fc.tuple(key, value), { maxLength: 3 }),
    after: fc.array(fc.tuple(key, value), { maxLength: 3 }),
    space: fc.constantFrom("", " ", "\n  ", "\t\r\n"),
    mark: fc.constantFrom("", "\ufeff"),
  });
  fc.assert(
    fc.property(bodies, ({ findings, before, after, space, mark }) => {
      const others = (members: [string, unknown][]) => members.filter(([key]) => key !== "Findings");
      const members = [...before, ["Findings", findings] as const, ...others(after)];
      const texts = members.map(([key, member]) => `${JSON.stringify(key)}${space}:${space}${jsonOf(member, space)}`);
      const source = PartitionSource.of(
        Buffer.from(`${mark}${space}{${space}${texts.join(`${space},${space}`)}}${space}`),
      );
      const onOneLine = findings.map((finding) => jsonOf(finding, space).replace(/[\r\n]/g, " "));
      expect(linesOf(source)).toEqual(onOneLine);
      findings.forEach((finding, row) => {
        const json = jsonOf(finding, "");
        const expected = exactJson(json);
        expect(source.exact.get(row)).toEqual(isDeepStrictEqual(expected, JSON.parse(json)) ? undefined : expected);
      });
    }),
    { numRuns: timesOf(3_000) },
  );
});

test("names the columns with a large integer, also around and inside objects, but not inside arrays", () => {
  const source = PartitionSource.of(
    Buffer.from(
      '{"Findings":[{"a":{"b.c":9007199254740993},"d":[{"e":-9007199254740993}]},{"f":9007199254740992},{"g":9007199254740991,"h":1e300,"i":9007199254740993.0}]}',
    ),
  );
  const names = ["a", "a.b\\.c", "d", "d.e", "f", "g", "h", "i"];
  expect(names.filter((name) => source.isRounded(name))).toEqual(["a", "a.b\\.c", "d", "f"]);
  const values = [1, 2, 3];
  source.replaceIn(values, "a.b\\.c");
  expect(values).toEqual([9007199254740993n, undefined, 3]);
});

test("keeps the members of columns under any names, as plain JavaScript does", () => {
  const isObject = (value: unknown): value is object =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const kept = (object: object, paths: string[][]): object =>
    objectOf(
      Object.entries(object).flatMap(([key, value]): [string, unknown][] => {
        const below = paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
        if (below.some((rest) => rest.length === 0)) return [[key, value]];
        return below.length > 0 && isObject(value) ? [[key, kept(value, below)]] : [];
      }),
    );
  const names = fc.array(fc.array(selectedKey, { minLength: 1, maxLength: 3 }), { maxLength: 3 });
  fc.assert(
    fc.property(fc.array(selectable, { maxLength: 3 }), names, (findings, paths) => {
      const source = PartitionSource.of(Buffer.from(JSON.stringify({ Findings: findings })));
      expect(linesOf(source.select(paths.map(nameOf)))).toEqual(
        findings.map((finding) => JSON.stringify(kept(finding, paths))),
      );
    }),
    { numRuns: timesOf(2_000) },
  );
});

function linesOf(source: PartitionSource): string[] {
  const lines = source.lines.map(String);
  expect(PartitionSource.ofLines(source.text).lines.map(String)).toEqual(lines);
  return lines;
}

/** Own properties all of them, as `JSON.parse` makes them. */
function objectOf(entries: [string, unknown][]): object {
  return Object.fromEntries(entries);
}
