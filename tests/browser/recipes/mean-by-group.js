// A data frame of a table, by Arquero.

import { desc, fromArrow, op } from "arquero";
import { toArrowIPC } from "inspection-findings/arrow";

/**
 * The number of findings and the mean sentiment of each topic group, the largest group first.
 * @param {import("inspection-findings").FindingsTable} table
 */
export function meanByGroup(table) {
  return fromArrow(toArrowIPC(table))
    .groupby("TopicGroup")
    .rollup({ count: op.count(), sentiment: op.mean("Sentiment") })
    .orderby(desc("count"), "TopicGroup")
    .objects();
}
