/** A table in Observable Plot: the recipe of the documentation draws what the table counts. */

import { expect, test } from "vitest";
import { freeAfterTest } from "./clients.js";
import { drawGroups } from "./recipes/draw-groups.js";
import { likelyFinding, load } from "./tables.js";

test("the recipe for Observable Plot draws a bar for each group and sentiment, as long as their findings are many", async () => {
  const table = await load([Array.from({ length: 500 }, (_, number) => likelyFinding(number))]);
  const chart = /** @type {any} */ (drawGroups(table));
  document.body.append(chart);
  freeAfterTest({ free: () => chart.remove() });
  const { domain, range } = chart.scale("x");
  const perPixel = (domain[1] - domain[0]) / (range[1] - range[0]);
  const bars = [...chart.querySelectorAll('[aria-label="bar"] rect')];
  const counts = bars.map((bar) => Math.round(Number(bar.getAttribute("width")) * perPixel));
  const expected = table.countBy("TopicGroup", "Sentiment");
  expect(counts.sort()).toEqual(expected.map(({ count }) => count).sort());
  expect(chart.scale("y").domain).toEqual([...new Set(expected.map(({ key: [group] }) => group ?? "No group"))].sort());
  expect(chart.textContent).toContain("Group 6");
});
