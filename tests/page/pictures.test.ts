/** The picture of www/docs/surveys.md and README.md is what its program draws. `npm run update:pictures` draws it again. */

import { FindingsClient } from "inspection-findings";
import { crosstab } from "inspection-findings/survey";
import { createFakeService } from "inspection-findings/testing";
import { expect, test } from "vitest";
import { drawShares } from "www/docs/surveys.md/draw-shares.js";
import { takeSaid } from "./trouble.js";

const { baseUrl, fetch } = createFakeService({ seed: 4, sentiment: { findings: 4_000, partitions: 8 } });
const all = await new FindingsClient({ baseUrl, fetch }).loadTable(42, "sentiment");
/** The table of the README's question. */
const grouped = all.filter({ TopicGroup: { not: null } });

test("the picture is what its program draws", async () => {
  const svg = `${new XMLSerializer().serializeToString(drawShares(grouped))}\n`;
  await expect(svg).toMatchFileSnapshot("../../www/docs/surveys-shares.svg");
});

test("the README's picture has the shares that its question prints", async () => {
  await import("README.md/shares.mjs");
  const mood = { negative: { Sentiment: { max: -1 } }, positive: { Sentiment: { min: 1 } } };
  const { cells } = crosstab(grouped, mood, "TopicGroup", { distinct: "RespondentKey" });
  expect(takeSaid()).toEqual(
    cells.map(({ column, row, count, base }) => `log: ${column}: ${count} of ${base} are ${row}`),
  );
});
