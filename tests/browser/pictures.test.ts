/** The pictures of www/docs/surveys.md and README.md are what their programs draw. `npm run update:pictures` draws them again. */

import { crosstab } from "inspection-findings/survey";
import { expect, test } from "vitest";
import { chart as cells } from "www/docs/surveys.md/cells-chart.js";
import { drawShares } from "www/docs/surveys.md/draw-shares.js";
import { chart as drivers } from "www/docs/surveys.md/drivers-chart.js";
import { chart as growth } from "www/docs/surveys.md/growth-chart.js";
import { chart as months } from "www/docs/surveys.md/months-chart.js";
import { chart as promoters } from "www/docs/surveys.md/promoters-chart.js";
import { chart as quotes } from "www/docs/surveys.md/quotes-chart.js";
import { chart as segments } from "www/docs/surveys.md/segments-chart.js";
import { chart as topics } from "www/docs/surveys.md/topics-chart.js";
import { autumn, mood, people } from "www/docs/surveys.md/waves.js";
import { takeSaid } from "./trouble.js";

// The programs print, which tests/docs/programs.test.js compares with the page.
takeSaid();

/** The table of the README's question. */
const grouped = autumn.filter({ TopicGroup: { not: null } });

const charts = { topics, segments, promoters, drivers, quotes, growth, months, cells, shares: drawShares(grouped) };

test.for(Object.entries(charts))("the picture %s is what its program draws", async ([name, chart]) => {
  const svg = `${new XMLSerializer().serializeToString(chart)}\n`;
  await expect(svg).toMatchFileSnapshot(`../../www/docs/surveys-${name}.svg`);
});

test("the README's picture has the shares that its question prints", async () => {
  await import("README.md/shares.mjs");
  const expected = crosstab(grouped, mood, "TopicGroup", people).cells.map(
    ({ column, row, count, base }) => `log: ${column}: ${count} of ${base} are ${row}`,
  );
  expect(takeSaid()).toEqual(expected);
});
