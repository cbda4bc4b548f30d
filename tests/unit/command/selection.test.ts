/** What `--columns` and `--where` keep, and what they refuse. The formats are in formats.test.ts. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { FindingsClient, FindingsTable } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { expect, onTestFinished, test } from "vitest";
import { documentedColumns } from "../../../src/js/command/common-schema.js";
import { exportFindings } from "../../../src/js/command/export.js";
import { exportRespondents } from "../../../src/js/command/respondents.js";
import { isWithin, keysOf } from "../../../src/js/core/table/column-path.js";
import { Conditions } from "../../../src/js/core/table/queries/conditions.js";
import { timesOf } from "../../counts.js";
import { meets, pruned } from "../../page/model";
import { scenarioOf } from "../../wire/service/bodies.js";
import {
  contentOf,
  exported,
  findingsIn,
  prepareScene,
  put,
  refused,
  requests,
  run,
  savedFor,
  scene,
  serve,
  silent,
} from "./command-run.js";

prepareScene();

type Finding = Record<string, unknown>;

test("a name means the same columns to the command and to a table, wherever it has dots and backslashes", async () => {
  const text = (maxLength: number) => fc.string({ unit: fc.constantFrom("a", "b", ".", "\\"), maxLength });
  const finding = fc.dictionary(text(3), fc.oneof(fc.constant(1), fc.dictionary(text(2), fc.constant(1))));
  const selected = (table: FindingsTable<Finding>, name: string) => {
    try {
      return table.select(name).columns;
    } catch {
      return [];
    }
  };
  const property = fc.asyncProperty(finding, text(6), async (finding, name) => {
    const table = await FindingsTable.from<Finding>([finding]);
    const names = [name, ...table.columns, ...table.columns.map((one) => one.slice(0, -1))];
    for (const one of names) {
      expect(selected(table, one)).toEqual(table.columns.filter((column) => isWithin(column, one)));
    }
  });
  await fc.assert(property, { numRuns: timesOf(500) });
});

const scalar = fc.constantFrom<unknown>(-2, 0, 1, 1.5, "", "x", "Xy", "1", true, false, null);
const finding: fc.Arbitrary<Finding> = fc.record(
  {
    a: fc.oneof(scalar, fc.constant([1])),
    n: fc.constantFrom(-2, 0, 1, 1.5, null),
    t: fc.constantFrom("", "x", "Xy", "1", null),
    o: fc.oneof({ weight: 3, arbitrary: fc.record({ x: scalar }) }, scalar),
    "a.b": scalar,
    TopicGroup: scalar,
    k: fc.constantFrom<unknown>(1, "x", "", true, null),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const partitions = fc.array(fc.array(finding, { maxLength: 4 }), { minLength: 1, maxLength: 4 });
const plain = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.constantFrom({ missing: true }, { contains: "" }, { contains: "X" }, { min: 0 }, { max: 1 }, { min: -2, max: 0 }),
);
const condition = fc.oneof(
  plain,
  plain.map((not) => ({ not })),
);
const name = fc.constantFrom(
  ...["a", "n", "t", "o.x", "o", "a\\.b", "TopicGroup", "NoTopic", "unknown", "Segment", "Score"],
);
const where = fc.array(fc.dictionary(name, condition, { minKeys: 1, maxKeys: 2, noNullPrototype: true }), {
  minLength: 1,
  maxLength: 2,
});

/** Whether a table refuses conditions. */
function isRefused(select: () => { free(): void }): boolean {
  try {
    select().free();
    return false;
  } catch (error) {
    if (!(error instanceof Error) || !REFUSAL.test(error.message)) throw error;
    return true;
  }
}

/** A client whose service has the partitions that were served last. */
function stubbedService() {
  const { baseUrl, fetch, use } = createFakeService();
  const client = new FindingsClient({ baseUrl, fetch, retries: 0 });
  onTestFinished(() => client.free());
  const serveParts = (partitions: Finding[][]) =>
    use(scenarioOf(partitions.map((Findings) => JSON.stringify({ Findings }))));
  const tableOf = (findings: Finding[]) => {
    serveParts([findings]);
    return client.loadTable(42, "sentiment");
  };
  return { client: client as never, serveParts, tableOf };
}

const { signal } = new AbortController();
const noProgress = { show() {}, end() {} };

const REFUSAL = /there is no column|compares/;
const row = fc.record(
  { Segment: fc.constantFrom("new", "old"), Score: fc.constantFrom(1, 2.5) },
  { requiredKeys: [], noNullPrototype: true },
);
const asked = fc.record({
  partitions,
  where: fc.option(where, { nil: undefined }),
  columns: fc.option(fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  people: fc.option(fc.dictionary(fc.constantFrom("1", "x", ""), row, { noNullPrototype: true }), { nil: undefined }),
});

test("--where, --columns and --join keep what plain JavaScript keeps, and refuse what a table of all findings refuses", async () => {
  const { client, serveParts, tableOf } = stubbedService();
  const about = { inspectionKey: "42", kind: "sentiment", format: ".ndjson", separator: "," } as const;
  let number = 0;
  await fc.assert(
    fc.asyncProperty(asked, async ({ partitions, where, columns, people }) => {
      const findings = partitions.flat();
      const total = findings.length;
      const joined = findings.map((finding) => {
        const own =
          typeof finding.k === "string" || typeof finding.k === "number" ? people?.[`${finding.k}`] : undefined;
        const { Segment, Score } = own ?? {};
        return { ...finding, ...(Segment !== undefined && { Segment }), ...(Score !== undefined && { Score }) };
      });
      const whole = await tableOf(joined);
      serveParts(partitions);
      const added = people === undefined ? [] : ["Segment", "Score"];
      const known = [...whole.columns, ...added, ...documentedColumns("sentiment")];
      // A column of the file that no finding has is missing, which a table cannot know.
      const isMissing = (name: string) => added.includes(name) && !whole.columns.includes(name);
      const asked = where?.map((one) => Object.fromEntries(Object.entries(one).filter(([name]) => !isMissing(name))));
      const refuses =
        total > 0 &&
        ((people !== undefined && !findings.some(({ k }) => k !== undefined)) ||
          columns?.some((name) => !known.some((one) => isWithin(one, name))) === true ||
          (asked !== undefined && isRefused(() => whole.filter(asked as never))));
      whole.free();
      const kept = joined.filter((finding) => where === undefined || where.some((one) => meets(finding, one)));
      const paths = columns?.map(keysOf);
      const lines = kept.map(
        (finding) => `${JSON.stringify(paths === undefined ? finding : pruned(finding, paths))}\n`,
      );
      const rows = Object.entries(people ?? {}).map(
        ([key, { Segment, Score }]) => `"${key}",${Segment ?? ""},${Score ?? ""}\n`,
      );
      put("people.csv", `k,Segment,Score\n${rows.join("")}`);
      const name = `${number++}.ndjson`;
      const written = exportFindings(
        client,
        {
          ...about,
          to: join(scene.folder, name),
          selected: { columns, where: where && new Conditions(where, true) },
          join: people && { file: join(scene.folder, "people.csv"), by: "k" },
          isSparse: true,
          origin: {},
        },
        signal,
        noProgress,
      );
      const found = await written.then(
        () => contentOf(name).toString(),
        (error: Error) => (REFUSAL.test(error.message) ? "refused" : Promise.reject(error)),
      );
      expect(found).toBe(refuses ? "refused" : lines.join(""));
    }),
    { numRuns: timesOf(1_000) },
  );
});

const person = fc.record(
  { k: fc.constantFrom(1, 2, 30, null), TopicGroup: fc.constantFrom("a", "b", "c", null) },
  { requiredKeys: [], noNullPrototype: true },
);
const answered = fc.record({
  partitions: fc.array(fc.array(person, { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
  people: fc.option(fc.dictionary(fc.constantFrom("1", "2", "4"), row, { noNullPrototype: true }), { nil: undefined }),
  silent: fc.option(fc.subarray([2, 3, 4, 30]), { nil: undefined }),
});

test("--per has a row of each respondent, or of each in --base, with a 1 for each topic, what is joined, and whether there is no topic", async () => {
  const { client, serveParts } = stubbedService();
  const about = { inspectionKey: "42", kind: "sentiment", separator: ",", isSparse: true, isJson: false } as const;
  const to = join(scene.folder, "people.csv");
  await fc.assert(
    fc.asyncProperty(answered, async ({ partitions, people, silent: others }) => {
      const findings = partitions.flat();
      const speaking = [...new Set(findings.flatMap(({ k }) => k ?? []))];
      const keys = [...new Set([...speaking, ...(others ?? [])])].sort((one, other) => one - other);
      const rowOf = (key: number) => people?.[`${key}`] ?? {};
      // Where a finding has a row, all columns of the file are there.
      const added = people === undefined ? [] : (["Segment", "Score"] as const);
      const hasValue = speaking.some((key) => Object.keys(rowOf(key)).length > 0);
      fc.pre(speaking.length > 0 && (people === undefined || hasValue));
      serveParts(partitions);
      const rows = Object.entries(people ?? {}).map(
        ([key, { Segment, Score }]) => `${key},${Segment ?? ""},${Score ?? ""}\n`,
      );
      const file = join(scene.folder, put("survey.csv", `k,Segment,Score\n${rows.join("")}`));
      await exportRespondents(
        client,
        {
          ...about,
          ...{ name: "respondents", baseUrl: "", tokenHeader: "authorization", format: ".csv" },
          ...{ to, per: "k", topics: "TopicGroup", join: people && { file, by: "k" } },
          base: others && join(scene.folder, put("asked.csv", `"k"\n${keys.join("\n")}\n`)),
        },
        signal,
        noProgress,
      );
      // A topic of findings without a respondent is nobody's.
      const topics = [
        ...new Set(findings.flatMap(({ k, TopicGroup }) => (k == null ? [] : (TopicGroup ?? [])))),
      ].sort();
      const of = (key: number) => findings.filter(({ k }) => k === key).map(({ TopicGroup }) => TopicGroup ?? null);
      const expected = keys.map((key) => {
        const own = added.map((name) => (rowOf(key)[name] === undefined ? "" : `${rowOf(key)[name]}`));
        const cells = topics.map((topic) => `${Number(of(key).includes(topic))}`);
        return [`${key}`, ...own, ...cells, `${Number(of(key).every((topic) => topic === null))}`];
      });
      const read: string[][] = parse(readFileSync(to), { bom: true });
      expect(read).toEqual([["k", ...added, ...topics, `T${topics.length + 1}`], ...expected]);
    }),
    { numRuns: timesOf(1_000) },
  );
});

const answers = [['{"n":1,"s":"x","T":{"a":"one"}}'], ['{"n":2,"s":"y","late":9007199254740993}']];

test.for([
  [["--columns", "s,N"], '--columns: there is no column "N" (did you mean n?); the columns are n, s, T.a'],
  [
    ["--where", '[{"s":"x"},{"T.A":1}]'],
    '--where: there is no column "T.A" (did you mean T.a?); the columns are n, s, T.a',
  ],
  [["--where", '{"T":"one"}'], '--where: there is no column "T"; the columns are n, s, T.a'],
  [
    ["--where", '{"n":"1"}'],
    'the condition on "n" compares strings, but the column has no string: it has numbers, such as 1',
  ],
  [["--join", "people.csv", "--on", "ns"], '--on: there is no column "ns"; the columns are n, s, T.a'],
] as const)(
  "%j is refused after one partition, which the next export uses, also where the file was there",
  async ([words, message]) => {
    serve(answers);
    put("people.csv", "ns,Segment\n1,new\n");
    const error = await refused([...exported("findings.csv"), ...words]);
    expect(error).toContain(message);
    expect(error).toContain("If only later findings have it, pass --sparse. What has arrived stays in ");
    expect([requests.length, savedFor("findings.csv")]).toEqual([2, [expect.stringMatching(/-0\.table$/)]]);
    requests.length = 0;
    expect(await run([...exported("findings.csv"), "--columns", "s"])).toEqual(silent);
    expect(requests.map(({ url }) => url.replace(/.*42/, ""))).toEqual(["", "/Sentiment/1"]);
  },
);

test("--sparse refuses what no partition has, and a condition that integers beyond 2^53 could not be told apart by", async () => {
  serve(answers);
  const words = ["--sparse", "--columns", "n", "--where"];
  const error = await refused([...exported("findings.ndjson"), ...words, '{"never":1}']);
  expect(error).toMatch(
    /no column "never".*; the columns are n, s, T\.a\. What has arrived stays in .*partial: the next export of the same findings continues/,
  );
  // JavaScript would select its neighbour.
  expect(await refused([...exported("findings.ndjson"), ...words, '{"late":9007199254740992}'])).toContain(
    '--where: the condition on "late" compares an integer beyond 2^53',
  );
});

test.for([
  ["--where", [...exported("findings.ndjson", "topics"), "--where", '{"Sentiment":{"max":-1}}']],
  ["--by", ["summary", "42", "topics", "--by", "Sentiment"]],
  ["--across", ["summary", "42", "topics", "--by", "TopicGroup", "--across", "Sentiment"]],
  ["--by", [...exported("people.csv", "topics"), "--per", "RespondentId", "--by", "Sentiment"]],
  ["--by", [...exported("people.csv", "topics"), "--per", "RespondentId", "--by", "Sentiment", "--base", "asked.csv"]],
] as const)("%s says that topic findings have no sentiment, and advises no --sparse: %j", async ([option, words]) => {
  put("asked.csv", "RespondentId\nR-1\n");
  const says = `${option}: there is no column "Sentiment", because these are topic findings: load "sentiment"`;
  for (const more of [[], ["--sparse"]]) {
    const error = await refused([...words, ...more]);
    expect([error.includes(`inspection-findings: ${says}`), error.includes("--sparse")]).toEqual([true, false]);
  }
});

test("one list of columns serves both kinds", async () => {
  expect(await run([...exported("findings.ndjson", "topics"), "--columns", "Comment,Sentiment"])).toEqual(silent);
});

test("conditions that no finding meets make a file without findings, but replace none", async () => {
  serve(answers);
  const stderr = "inspection-findings: none of the 2 findings meets the conditions of --where\n";
  const words = [...exported("findings.csv"), "--where", '{"n":100}'];
  expect(await run(words)).toEqual({ ...silent, stderr });
  const before = contentOf(put("findings.csv", "the export of yesterday"));
  expect(await refused(words)).toContain(
    "none of the 2 findings meets the conditions of --where, so findings.csv stays as it is",
  );
  expect(contentOf("findings.csv")).toEqual(before);
  expect(savedFor("findings.csv")).toHaveLength(2);
});

test("columns are in the order in which they are named, as a page writes them", async () => {
  serve(answers);
  expect(await run([...exported("findings.csv"), "--columns", "T,s,NoTopic,n"])).toEqual(silent);
  expect(contentOf("findings.csv").toString()).toBe('\ufeff"T.a","s","NoTopic","n"\r\n"one","x",,1\r\n,"y",,2\r\n');
  serve([['{"n":1,"s\\\\":2}']]);
  expect(await run([...exported("findings.csv"), "--columns", "s\\,n"])).toEqual(silent);
  expect(contentOf("findings.csv").toString()).toBe('\ufeff"s\\\\","n"\r\n2,1\r\n');
});

test("a text that no cell can hold is refused only in a workbook that would have it", async () => {
  serve([[`{"n":1,"s":"${"x".repeat(32_768)}"}`]]);
  expect(await run([...exported("findings.xlsx"), "--columns", "n"])).toEqual(silent);
  expect(await run([...exported("others.xlsx"), "--where", '{"n":2}'])).toMatchObject({ code: 0 });
  expect(await refused(exported("findings.xlsx"))).toContain('the text of finding 0 of partition 0 in the column "s"');
});

test.for([
  ["--columns", "a"],
  ["--where", '{"a":2}'],
])("%s %s are refused for findings with fields that have no column, because they cannot see them", async (words) => {
  serve([['{"a":1,"a":2}']]);
  expect(await refused([...exported("findings.ndjson"), ...words])).toMatch(
    /partition 0 has findings with fields that have no column.* without them\. What has arrived stays in /,
  );
  requests.length = 0;
  expect(await run(exported("findings.ndjson"))).toEqual(silent);
  expect(requests).toHaveLength(1);
  expect(findingsIn("findings.ndjson")).toEqual([{ a: 2 }]);
});
