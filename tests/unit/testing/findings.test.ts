/** The invented findings. The browsers' tests compare their bytes. */

import type { InspectionFinding } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { expect, test } from "vitest";
import { ask, jsonOf } from "./requests.ts";

type Text = { Text: string; Offset?: number; Length?: number };

const size = { findings: 4_000, partitions: 2 };

const sentiment = createFakeService({ sentiment: size }).findings("sentiment");
const topics = createFakeService({ topics: size }).findings("topics");

test.for([
  [1, 3_000, 3],
  [-7, 0, 2],
  [1, 5, 4],
])("the bytes of all bodies of seed %d are the findings as JSON: %d in %d partitions", async (row) => {
  const [seed, findings, partitions] = row;
  const size = { findings, partitions };
  const service = createFakeService({ seed, sentiment: size, topics: size });
  for (const [kind, ofPath] of [["sentiment", "Sentiment"] as const, ["topics", "Topics"] as const]) {
    const paths = Array.from({ length: partitions }, (_, index) => `Findings/-7/${ofPath}/${index}`);
    const texts = await Promise.all(paths.map(async (path) => (await ask(service, path)).text()));
    const lists = texts.map((text) => JSON.parse(text).Findings);
    expect(texts).toEqual(lists.map((list) => JSON.stringify({ Findings: list, errors: null })));
    expect(lists.flat()).toEqual(service.findings(kind));
    expect(lists.flat()).toHaveLength(findings);
    const sizes = lists.map(({ length }) => length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  }
});

test("another seed or partition gives other findings, and the other kind has the same comments without a sentiment", () => {
  const comments = (findings: InspectionFinding[]) => findings.map(({ StringKey, Comment }) => [StringKey, Comment]);
  const texts = (findings: InspectionFinding[]) => findings.map(({ Comment }) => Comment).join();
  const other = createFakeService({ seed: 2, sentiment: size }).findings("sentiment");
  const all = [sentiment.slice(0, 2_000), sentiment.slice(2_000), other.slice(0, 2_000)].map(texts);
  expect(new Set(all).size).toBe(all.length);
  expect(comments(topics)).toEqual(comments(sentiment));
  expect(topics.some((finding) => "Sentiment" in finding)).toBe(false);
});

test.for<[name: "Sentiment" | "NoTopic" | "NoExpression", string, values: unknown[]]>([
  ["Sentiment", "from -2 to 2", [-2, -1, 0, 1, 2]],
  ["NoTopic", "true, false or missing", [true, false, undefined]],
  ["NoExpression", "true, false or missing", [true, false, undefined]],
])("%s of sentiment findings is %s", ([name, , values]) => {
  expect(new Set(sentiment.map((finding) => finding[name] as unknown))).toEqual(new Set(values));
});

test("topic, expression and extract are at their offsets in the comment, or are generic, and groups may be null", () => {
  for (const { Comment, Topic, Expression, Extract, NoTopic, NoExpression } of sentiment) {
    expect(Topic.Offset === undefined).toBe(NoTopic === true);
    expect(Expression.Offset === undefined).toBe(NoExpression === true);
    for (const { Text, Offset, Length } of [Topic, Expression, Extract] as Text[]) {
      if (Offset === undefined) expect(Text).toMatch(/^\/(Positive|Negative|Neutral)Sentiment\/$/);
      else expect(Comment.slice(Offset, Offset + (Length ?? 0))).toBe(Text);
    }
  }
  expect(sentiment.some(({ TopicGroup }) => TopicGroup === null)).toBe(true);
  expect(sentiment.some(({ ExpressionGroup }) => ExpressionGroup === null)).toBe(true);
});

test("the text is in several scripts, and some of it looks like markup", () => {
  const text = sentiment.map(({ Comment }) => Comment).join("\n");
  const scripts = [/[äöüß]/, /[éèç]/, /\p{Script=Hiragana}/u, /\p{Script=Arabic}/u, /\p{Emoji_Presentation}/u];
  for (const script of [...scripts, /<img src=x onerror/]) expect(text).toMatch(script);
});

test("a large inspection costs nothing before a partition is read", async () => {
  const service = createFakeService({ sentiment: { findings: 1e13, partitions: 1e10 } });
  expect((await jsonOf(service, "Findings/1/Sentiment/9999999999")).Findings).toHaveLength(1_000);
});
