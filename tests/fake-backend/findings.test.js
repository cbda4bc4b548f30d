/** The generated findings. */

import { expect, test } from "vitest";
import { Bodies } from "./bodies.js";
import { BodyWriter } from "./body-writer.js";
import { makeFindings } from "./findings.js";

/** @type {Parameters<typeof makeFindings>[0]} */
const sentimentFindings = { seed: 1, inspectionKey: "2", kind: "sentiment", partitionIndex: 3, count: 4_000 };

/** @type {typeof sentimentFindings} */
const topicFindings = { ...sentimentFindings, kind: "topics" };

test("the same seed gives the same bytes, whatever was requested before", () => {
  const bodies = new Bodies(1, 0);
  const first = bodies.body("2", "sentiment", 7, 500);
  bodies.body("2", "topics", 3, 100);
  expect(Buffer.compare(bodies.body("2", "sentiment", 7, 500), first)).toBe(0);
  expect(Buffer.compare(new Bodies(1).body("2", "sentiment", 7, 500), first)).toBe(0);
});

test("the bytes of a body are those of its findings as JSON", () => {
  const writer = new BodyWriter();
  for (const seed of [1, 2]) {
    for (const kind of /** @type {const} */ (["topics", "sentiment"])) {
      for (const [partitionIndex, count] of [
        [0, 3_000],
        [999, 1],
        [12, 0],
        [1, 2],
      ]) {
        const which = { seed, inspectionKey: "-7", kind, partitionIndex, count };
        const written = Buffer.from(writer.write(which));
        expect(written.toString()).toBe(JSON.stringify({ Findings: makeFindings(which), errors: null }));
      }
    }
  }
});

test("another seed, inspection or partition gives other findings", () => {
  const comments = [
    sentimentFindings,
    { ...sentimentFindings, seed: 2 },
    { ...sentimentFindings, inspectionKey: "4" },
    { ...sentimentFindings, partitionIndex: 4 },
  ].map((which) =>
    makeFindings(which)
      .map(({ Comment }) => Comment)
      .join(),
  );
  expect(new Set(comments).size).toBe(comments.length);
});

test("a partition has the requested number of findings", () => {
  for (const count of [0, 1, 2, 3, 99]) {
    expect(makeFindings({ ...sentimentFindings, count })).toHaveLength(count);
  }
});

test("only sentiment findings have a sentiment, from -2 to 2", () => {
  expect(new Set(makeFindings(sentimentFindings).map(({ Sentiment }) => Sentiment))).toEqual(
    new Set([-2, -1, 0, 1, 2]),
  );
  expect(makeFindings(topicFindings).some((finding) => "Sentiment" in finding)).toBe(false);
});

test("both kinds have the same comments", () => {
  const comments = makeFindings(sentimentFindings).map(({ StringKey, Comment }) => [StringKey, Comment]);
  expect(makeFindings(topicFindings).map(({ StringKey, Comment }) => [StringKey, Comment])).toEqual(comments);
});

test("most comments occur in several findings, each with another extract", () => {
  const findings = makeFindings(sentimentFindings);
  const comments = new Set(findings.map(({ StringKey }) => StringKey));
  expect(findings.length / comments.size).toBeGreaterThan(2);
  expect(new Set(findings.map(({ StringKey, Extract }) => `${StringKey} ${Extract.Offset}`)).size).toBe(
    findings.length,
  );
});

test("topic, expression and extract are at their offsets in the comment, or are generic", () => {
  for (const { Comment, Topic, Expression, Extract, NoTopic, NoExpression } of makeFindings(sentimentFindings)) {
    expect(Topic.Offset === undefined).toBe(NoTopic === true);
    expect(Expression.Offset === undefined).toBe(NoExpression === true);
    for (const { Text, Offset, Length } of [Topic, Expression, Extract]) {
      if (Offset === undefined) {
        expect(Text).toMatch(/^\/(Positive|Negative|Neutral)Sentiment\/$/);
      } else {
        expect(Comment.slice(Offset, Offset + (Length ?? 0))).toBe(Text);
      }
    }
  }
});

test("groups may be null, and the optional fields are there, false or missing", () => {
  const findings = makeFindings(sentimentFindings);
  expect(findings.some(({ TopicGroup }) => TopicGroup === null)).toBe(true);
  expect(findings.some(({ ExpressionGroup }) => ExpressionGroup === null)).toBe(true);
  expect(new Set(findings.map(({ NoTopic }) => NoTopic))).toEqual(new Set([true, false, undefined]));
  expect(new Set(findings.map(({ NoExpression }) => NoExpression))).toEqual(new Set([true, false, undefined]));
});

test("the text is in several scripts, and some of it looks like markup", () => {
  const text = makeFindings(sentimentFindings)
    .map(({ Comment }) => Comment)
    .join("\n");
  for (const script of [
    /[äöüß]/,
    /[éèç]/,
    /\p{Script=Hiragana}/u,
    /\p{Script=Arabic}/u,
    /\p{Emoji_Presentation}/u,
    /<img src=x onerror/,
  ]) {
    expect(text).toMatch(script);
  }
});

test("a finding has about 576 bytes of JSON", () => {
  const bytes = new Bodies(1).body("2", "sentiment", 0, 4_000).byteLength;
  expect(bytes / 4_000).toBeGreaterThan(546);
  expect(bytes / 4_000).toBeLessThan(606);
});

test("bodies are cached up to the limit", () => {
  const one = new Bodies(1).body("2", "topics", 0, 100).byteLength;
  const bodies = new Bodies(1, Math.floor(3.5 * one));
  const first = bodies.body("2", "topics", 0, 100);
  expect(bodies.body("2", "topics", 0, 100)).toBe(first);
  for (let index = 1; index < 10; index++) {
    bodies.body("2", "topics", index, 100);
    expect(bodies.held).toBeLessThanOrEqual(Math.floor(3.5 * one));
  }
  expect(bodies.body("2", "topics", 0, 100)).not.toBe(first);
});
