/** What a table is asked in memory, beside the usual forms over an array of findings. A way's name begins with its question. */

import { tableFromIPC, tableFromJSON, tableToIPC } from "apache-arrow";
import { toArrowIPC } from "inspection-findings/arrow";
import { timeWays } from "../statistics.js";
import { contenders } from "./contenders.js";

/** @typedef {{ TopicGroup: string | null, Sentiment: number, Comment: string, RespondentId: string, StringKey: number }} Finding */
/** @typedef {{ findings: Finding[], table: any }} Both */
/** @typedef {{ inspectionKey: number, rounds: number }} Wanted */

/**
 * The times of all queries.
 * @param {Wanted} wanted
 */
export function queryTable(wanted) {
  return compare(wanted, ({ findings, table }) => ({
    "countBy: a Map by text": () => countByText(findings),
    "countBy: table": () => {
      const groups = table.countBy("TopicGroup", "Sentiment");
      return [groups.length, groups[0].count];
    },
    "filter by number: filter": () => findings.filter(({ Sentiment }) => Sentiment <= -1).length,
    "filter by number: table": () => lengthOf(table.filter({ Sentiment: { max: -1 } })),
    "filter by text: filter": () =>
      findings.filter(({ Comment }) => Comment.toLowerCase().includes("breakfast")).length,
    "filter by text: table": () => lengthOf(table.filter({ Comment: { contains: "breakfast" } })),
    "sortBy number: toSorted": () => findings.toSorted((one, other) => one.Sentiment - other.Sentiment)[0].StringKey,
    "sortBy number: table": () => firstOf(table.sortBy("Sentiment")),
    "sortBy text: toSorted": () =>
      findings.toSorted(({ RespondentId: one }, { RespondentId: other }) => (one < other ? -1 : Number(one > other)))[0]
        .StringKey,
    "sortBy text: table": () => firstOf(table.sortBy("RespondentId")),
  }));
}

/**
 * The times of Arrow streams: from the columns of a table, and from plain objects by apache-arrow.
 * @param {Wanted} wanted
 */
export async function writeArrow({ inspectionKey, rounds }) {
  const table = /** @type {any} */ (await contenders.loadTable(inspectionKey));
  const findings = table.toArray();
  /** @type {Record<string, () => Uint8Array>} */
  const ways = {
    "toArrowIPC: table": () => toArrowIPC(table),
    "toArrowIPC: table, utf8": () => toArrowIPC(table, { strings: "utf8" }),
    "apache-arrow: objects": () => tableToIPC(tableFromJSON(findings), "stream"),
  };
  return timeWays(ways, rounds, (stream, way) => {
    if (tableFromIPC(stream).numRows !== findings.length) throw new Error(`the stream of ${way} lacks findings`);
  });
}

/**
 * @param {Wanted} wanted
 * @param {(both: Both) => Record<string, () => unknown>} waysOf whose results must be equal for the same question
 */
async function compare({ inspectionKey, rounds }, waysOf) {
  const findings = /** @type {Finding[]} */ (await contenders.promiseAll(inspectionKey));
  const table = /** @type {any} */ (await contenders.loadTable(inspectionKey));
  /** @type {Record<string, string>} */
  const expected = {};
  return timeWays(waysOf({ findings, table }), rounds, (result, way) => {
    const [question] = way.split(":");
    const essence = JSON.stringify(result);
    expected[question] ??= essence;
    if (expected[question] !== essence) throw new Error(`${way} is ${essence} and not ${expected[question]}`);
  });
}

/** @param {Finding[]} findings */
function countByText(findings) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { TopicGroup, Sentiment } of findings) {
    const key = `${TopicGroup}|${Sentiment}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return [sorted.length, sorted[0][1]];
}

/** @param {any} view */
function lengthOf(view) {
  const { length } = view;
  view.free();
  return length;
}

/** @param {any} view */
function firstOf(view) {
  const { StringKey } = view.at(0);
  view.free();
  return StringKey;
}
