/** What `summary` prints: groups, people and a cross tabulation, as text and as JSON. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { prepareScene, printed, put, refused, requests, run, scene, serve } from "./command-run.js";

prepareScene();

const answers = [
  ['{"P":1,"G":"a","S":"new","Sentiment":-1}', '{"P":1,"G":"a","S":"new","Sentiment":1}', '{"P":2,"G":"b","S":"old"}'],
  ['{"P":3,"G":"a","S":"old","Sentiment":2}', '{"P":3,"G":"b"}'],
];
const summary = ["summary", "42", "--by"];

test("a cross tabulation counts findings, or people", async () => {
  serve(answers);
  const words = [...summary, "G", "--across", "S"];
  expect(await printed(words)).toBe(
    [
      "G      new  old  (none)  total",
      "a        2    1       0      3",
      "b        0    1       1      2",
      "total    2    2       1      5",
      "",
    ].join("\n"),
  );
  const people = [...words, "--distinct", "P"];
  expect((await printed(people)).split("\n").slice(1, 4)).toEqual([
    "a        1    1       0      2",
    "b        1    0       1      2",
    "total    2    1       1      3",
  ]);
  const { rows, cells, counts, total } = JSON.parse(await printed([...people, "--json"]));
  expect({ rows: rows.map(({ key }: { key: unknown[] }) => key), counts, total }).toEqual({
    rows: [["a"], ["b"]],
    counts: "P",
    total: 3,
  });
  expect(cells[0]).toMatchObject({ row: ["a"], column: ["old"], count: 1, base: 2, share: 0.5, isSmall: false });
});

test("an export per respondent has a row of each, with what is joined, and a 1 for each topic of theirs", async () => {
  serve(answers);
  put("survey.csv", "P,Age.Now\n1,30\n3,40\n4,50\n");
  // No file beside it is taken for one that the export has begun.
  const other = readFileSync(join(scene.folder, put("people.csv.respondents", "of somebody else")));
  const words = ["export", "42", "sentiment", "--per", "P", "--by", "G", "--join", "survey.csv", "--on", "P"];
  const { code, stdout, stderr } = await run([...words, "--to", "people.csv"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toBe("column  stands for\nT3      No topic\n");
  const lines = ['\ufeff"P","Age.Now","a","b","T3"', "1,30,1,0,0", "2,,0,1,0", "3,40,1,1,0", ""];
  expect(readFileSync(join(scene.folder, "people.csv"), "utf8")).toBe(lines.join("\r\n"));
  expect(readdirSync(scene.folder).sort()).toEqual(["people.csv", "people.csv.respondents", "survey.csv"]);
  expect(readFileSync(join(scene.folder, "people.csv.respondents"))).toEqual(other);
  // Those who said nothing have rows, too.
  put("asked.csv", "Wave,P\n1,4\n1,3\n1,2\n2,1\n");
  expect((await run([...words, "--base", "asked.csv", "--to", "people.csv"])).stderr).toBe("");
  expect(readFileSync(join(scene.folder, "people.csv"), "utf8")).toBe(
    [...lines.slice(0, 4), "4,50,0,0,1", ""].join("\r\n"),
  );
  put("asked.csv", "P\n4\n3\n2\n");
  const lacks = await run([...words, "--base", "asked.csv", "--to", "people.csv"]);
  expect(lacks.stderr).toContain("--base: base lacks P 1, who has findings: each person needs a row");
  for (const [others, says] of [
    [["--per", "p", "--by", "G"], '--per: there is no column "p" (did you mean P?)'],
    [["--per", "P", "--by", "G", "--where", "{}"], "do not apply to export --per"],
  ] as const) {
    expect((await run(["export", "42", "sentiment", ...others, "--to", "people.csv"])).stderr).toContain(says);
  }
});

test("groups have the number of distinct values of a column", async () => {
  serve(answers);
  const words = [...summary, "G", "--distinct", "P"];
  expect(await printed(words)).toBe(
    "G  findings  distinct P  mean sentiment\na         3           2  0.67\nb         2           2\n",
  );
  expect(JSON.parse(await printed([...words, "--json"]))).toEqual([
    { key: ["a"], count: 3, distinct: 2, mean: 2 / 3 },
    { key: ["b"], count: 2, distinct: 2, mean: null },
  ]);
});

test.for([
  ["Topicgroup", [], 'there is no column "Topicgroup" (did you mean TopicGroup?)'],
  ["TopicGroup", ["--across", "p"], 'there is no column "p" (did you mean P?)'],
  ["TopicGroup", ["--distinct", "p"], 'there is no column "p" (did you mean P?)'],
] as const)(
  "--by %s %j names a column that the first findings lack: no others are requested",
  async ([by, words, message]) => {
    serve([[], ['{"TopicGroup":"a","P":1}'], ['{"TopicGroup":"a","P":1}']]);
    expect(await refused([...summary, by, ...words])).toContain(message);
    expect(requests).toHaveLength(3);
  },
);

test("a documented column that no finding has is one group, and nothing is requested twice", async () => {
  serve(answers);
  expect(await printed([...summary, "NoTopic"])).toBe(
    "NoTopic    findings  mean sentiment\n(missing)         5  0.67\n",
  );
  expect(requests).toHaveLength(3);
});

test("a mean that is rounded to zero has no sign", async () => {
  serve([Array.from({ length: 300 }, (_, row) => `{"G":1,"Sentiment":${row === 0 ? -1 : 0}}`)]);
  expect(await printed([...summary, "G"])).toMatch(/ 0\.00\n$/);
});

test("--sparse groups by a column that only later findings have", async () => {
  serve([['{"P":1}'], ['{"P":1,"late":"x"}']]);
  expect(await refused([...summary, "late"])).toContain("If only later findings have it, pass --sparse");
  expect((await printed([...summary, "late", "--sparse"])).match(/^\S+/gm)).toEqual(["late", "(missing)", "x"]);
});

test("--join groups by a column of a file", async () => {
  serve([
    ['{"Id":9,"Sentiment":1}', '{"Id":10}'],
    ['{"Id":7}', '{"Id":8}'],
  ]);
  put("people.csv", "Id,Segment\n9,new\n7,new\n8,old\n");
  const words = [...summary, "Segment", "--join", "people.csv", "--on", "Id"];
  expect(JSON.parse((await run([...words, "--json"])).stdout)).toEqual([
    { key: ["new"], count: 2, mean: 1 },
    { key: [null], count: 1, mean: null, missing: ["Segment"] },
    { key: ["old"], count: 1, mean: null },
  ]);
});

test("a group of integers beyond 2^53 is said to be rounded, and only such a group", async () => {
  serve([['{"k":9007199254740993,"s":1,"Sentiment":1}', '{"k":9007199254740992,"s":1}']]);
  expect((await run([...summary, "k"])).stderr).toMatch(/^inspection-findings: integers beyond 2\^53 are rounded.*\n$/);
  expect((await run([...summary, "s"])).stderr).toBe("");
});

test("missing, null and infinity are different keys", async () => {
  serve([
    ['{"n":null,"Sentiment":1}', '{"n":null}', '{"n":null}', "{}", "{}"],
    ['{"n":1e400}', '{"n":-0}', '{"n":0}', '{"n":0}', '{"n":0}'],
  ]);
  expect(JSON.parse(await printed([...summary, "n", "--json"]))).toEqual([
    { key: [0], count: 4, mean: null },
    { key: [null], count: 3, mean: 1 },
    { key: [null], count: 2, mean: null, missing: ["n"] },
    { key: [Number.POSITIVE_INFINITY], count: 1, mean: null },
  ]);
  const text = await printed([...summary, "n"]);
  expect(text.match(/^\S+/gm)).toEqual(["n", "0", "null", "(missing)", "1e999"]);
});
