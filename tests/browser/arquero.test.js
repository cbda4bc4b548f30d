/** A table in Arquero: the recipe of the documentation. */

import { expect, test } from "vitest";
import { meanByGroup } from "./recipes/mean-by-group.js";
import { likelyFinding, load } from "./tables.js";

test("the recipe for Arquero answers what the table summarizes", async () => {
  const table = await load([Array.from({ length: 500 }, (_, number) => likelyFinding(number))]);
  const rows = /** @type {any[]} */ (meanByGroup(table));
  const expected = new Map(
    table
      .summarize(["TopicGroup"], "Sentiment")
      .map(({ key: [group], count, mean }) => [group, { TopicGroup: group, count, sentiment: mean }]),
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
