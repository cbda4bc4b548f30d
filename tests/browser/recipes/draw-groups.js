// A chart of a table, by Observable Plot.

import { barX, groupY, plot } from "@observablehq/plot";

/**
 * Draws how many findings each topic group has, by sentiment.
 * @param {import("inspection-findings").FindingsTable} table
 */
export function drawGroups(table) {
  // Plot has no place on an axis for null.
  const groups = table.column("TopicGroup").map((group) => group ?? "No group");
  const sentiments = table.column("Sentiment");
  return plot({
    marginLeft: 120,
    color: { scheme: "RdBu", legend: true },
    marks: [barX({ length: table.length }, groupY({ x: "count" }, { y: groups, fill: sentiments, order: "z" }))],
  });
}
