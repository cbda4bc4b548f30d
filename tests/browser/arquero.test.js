/** A table in Arquero: the recipe of the documentation, and every value. */

import { fromArrow } from "arquero";
import { toArrowIPC } from "inspection-findings/arrow";
import { describe, expect, test } from "vitest";
import { readByFlechette } from "../arrow/streams.js";
import { corpora, makeBodies } from "../benchmark/corpora.js";
import { expectFindings } from "./arrow-values.js";
import { meanByGroup } from "./recipes/mean-by-group.js";
import { likelyFinding, load } from "./tables.js";

test("the recipe for Arquero answers what the table summarizes", async () => {
  const table = await load([Array.from({ length: 500 }, (_, number) => likelyFinding(number))]);
  const rows = /** @type {any[]} */ (meanByGroup(table));
  const expected = new Map(
    table
      .summarize(["TopicGroup"], "Sentiment")
      .map(({ key: [group], count, sum }) => [group, { TopicGroup: group, count, sentiment: sum / count }]),
  );
  expect(rows.length).toBe(expected.size);
  for (const row of rows) {
    const { sentiment, ...rest } = /** @type {any} */ (expected.get(row.TopicGroup));
    expect(row).toEqual({ ...rest, sentiment: expect.closeTo(sentiment, 10) });
  }
  expect(rows.map(({ count }) => count)).toEqual(
    [...expected.values()].map(({ count }) => count).sort((a, b) => b - a),
  );
});

describe("every value comes back from Arquero", () => {
  test.for(Object.keys(corpora))("of the corpus %j", async (name) => {
    const { bodies } = makeBodies(name, { findings: 600, partitions: 2 });
    const texts = bodies.map((body) => new TextDecoder().decode(body));
    const findings = texts.flatMap((text) => JSON.parse(text).Findings);
    const table = await load(texts);
    const stream = toArrowIPC(table);
    const frame = fromArrow(stream);
    const columns = readByFlechette(stream).columns.map((column) => ({
      ...column,
      values: Array.from(/** @type {any} */ (frame.array(column.name))),
    }));
    expectFindings({ metadata: new Map(), columns }, findings, table.columns);
  });
});
