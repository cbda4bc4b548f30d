/** The programs of www/docs/surveys.md have the results that plain JavaScript computes from the findings. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { saveFiles } from "./documents.js";

/** @typedef {import("inspection-findings").InspectionFinding & { Sentiment: number }} Finding */

const folder = saveFiles("www/docs/surveys.md");
// Each program also prints, and tests/docs/programs.test.js compares that with the page.
const { log } = console;
console.log = () => {};
const { spring, autumn, respondents } = await import(join(folder, "waves.js"));
const [topics, segments, promoters, drivers, quotes, growth, months, cells] = await Promise.all(
  ["topics", "segments", "promoters", "drivers", "quotes", "growth", "months", "cells"].map(
    (name) => import(join(folder, `${name}.js`)),
  ),
);
console.log = log;

/** @type {Finding[]} */
const findings = autumn.toArray();
/** @type {Map<string, { segment: string, score: number, answered: string }>} */
const known = new Map(respondents.map((/** @type {{ id: string }} */ respondent) => [respondent.id, respondent]));
const respondentOf = (/** @type {Finding} */ { RespondentId }) => known.get(RespondentId);

const moods = /** @type {Record<string, (finding: Finding) => boolean>} */ ({
  negative: ({ Sentiment }) => Sentiment < 0,
  positive: ({ Sentiment }) => Sentiment > 0,
});

/** The number of respondents of findings. @param {Finding[]} of */
const people = (of) => new Set(of.map(({ RespondentKey }) => RespondentKey)).size;

/** A cell, as plain data. @param {unknown} row @param {unknown} column @param {number} count @param {number} base */
const cellOf = (row, column, count, base) => ({ row, column, count, base, share: count / base });

/** The cells of a program, as plain data in an order that does not matter. @param {any[]} of */
const plain = (of) =>
  of.map(({ row, column, count, base, share }) => JSON.stringify({ row, column, count, base, share })).sort();

/**
 * The cells of moods by groups of respondents.
 * @param {string[]} names the moods
 * @param {(finding: Finding) => string} groupOf
 * @param {Record<string, number>} [bases]
 */
function moodsBy(names, groupOf, bases = {}) {
  return Array.from(Map.groupBy(findings, groupOf)).flatMap(([group, of]) =>
    names.map((name) => cellOf(name, group, people(of.filter(moods[name])), bases[group] ?? people(of))),
  );
}

test("people who speak of each topic are counted once", () => {
  const expected = Array.from(
    Map.groupBy(findings, ({ TopicGroup }) => TopicGroup),
    ([topic, of]) => cellOf(topic, "all", people(of), people(findings)),
  );
  assert.ok(expected.length > 5);
  assert.deepEqual(plain(topics.cells), plain(expected));
});

test("the moods of segments are shares of those who were asked, or of the respondents", () => {
  const names = ["negative", "positive"];
  const segmentOf = (/** @type {Finding} */ finding) => String(respondentOf(finding)?.segment);
  assert.deepEqual(plain(segments.cells), plain(moodsBy(names, segmentOf, { new: 600, loyal: 1_500 })));
  assert.deepEqual(plain(cells.cells), plain(moodsBy(names, segmentOf)));
});

test("the moods of score groups are shares of the respondents of the group", () => {
  const groupOf = (/** @type {Finding} */ finding) => {
    const { score } = /** @type {{ score: number }} */ (respondentOf(finding));
    return score <= 6 ? "detractors" : score <= 8 ? "passives" : "promoters";
  };
  assert.deepEqual(plain(promoters.cells), plain(moodsBy(["negative", "positive"], groupOf)));
});

test("the effect of a topic is the mean score of its respondents minus the mean score of all others", () => {
  const mean = (/** @type {string[]} */ ids) =>
    ids.reduce((sum, id) => sum + Number(known.get(id)?.score), 0) / ids.length;
  const byTopic = Map.groupBy(findings, ({ TopicGroup }) => TopicGroup);
  assert.equal(drivers.drivers.length, byTopic.size);
  for (const { topic, people: size, effect } of drivers.drivers) {
    const speakers = new Set(byTopic.get(topic)?.map(({ RespondentId }) => RespondentId));
    const others = [...known.keys()].filter((id) => !speakers.has(id));
    assert.equal(size, speakers.size);
    assert.ok(Math.abs(effect - (mean([...speakers]) - mean(others))) < 1e-9, String(topic));
  }
});

test("each quote is clearly negative, and no respondent and no text is there twice", () => {
  const worst = findings.filter(({ Sentiment, TopicGroup }) => Sentiment === -2 && TopicGroup !== null);
  /** @type {Finding[]} */
  const chosen = [];
  for (const finding of worst) {
    const isNew = chosen.every(
      ({ RespondentKey, Extract }) => RespondentKey !== finding.RespondentKey && Extract.Text !== finding.Extract.Text,
    );
    if (isNew) chosen.push(finding);
  }
  assert.ok(chosen.length > 20);
  const expected = chosen.map(({ TopicGroup, Extract }) => ({ topic: TopicGroup, text: Extract.Text }));
  assert.deepEqual(quotes.quotes, expected);
});

test("the change of a topic is the difference of its shares, and p is that of two proportions", () => {
  /** @type {Finding[][]} */
  const waves = [spring.toArray(), findings];
  for (const { row, before, after, change, p } of growth.changes) {
    const [one, other] = waves.map((wave) => ({
      count: people(wave.filter(({ TopicGroup }) => TopicGroup === row)),
      base: people(wave),
    }));
    assert.deepEqual(
      [before.count, before.base, after.count, after.base],
      [one.count, one.base, other.count, other.base],
    );
    assert.ok(Math.abs(change - (other.count / other.base - one.count / one.base)) < 1e-12);
    const pooled = (one.count + other.count) / (one.base + other.base);
    const z = change / Math.sqrt(pooled * (1 - pooled) * (1 / one.base + 1 / other.base));
    assert.ok(Math.abs(p - 2 * tail(Math.abs(z))) < 1e-4, `${row}: ${p}`);
  }
  const order = growth.changes.map((/** @type {{ change: number }} */ { change }) => change);
  assert.deepEqual(
    order,
    order.toSorted((/** @type {number} */ a, /** @type {number} */ b) => b - a),
  );
});

/** The probability above z standard errors: the area under the bell curve, in small steps. @param {number} z */
function tail(z) {
  const step = 1e-4;
  const steps = Array.from({ length: Math.round((8 - z) / step) }, (_, index) => z + (index + 0.5) * step);
  return steps.reduce((sum, x) => sum + Math.exp((-x * x) / 2), 0) * (step / Math.sqrt(2 * Math.PI));
}

test("the months are those of the respondents' texts, in order", () => {
  const monthOf = (/** @type {Finding} */ finding) => String(respondentOf(finding)?.answered.slice(0, 7));
  assert.deepEqual(plain(months.byMonth), plain(moodsBy(["negative"], monthOf)));
  const order = months.byMonth.map((/** @type {{ column: string }} */ { column }) => column);
  assert.deepEqual(order, order.toSorted());
  assert.equal(order.length, 6);
});
