/** Queries of a table and the reading of its rows, and their usual forms over an array of findings. */

import { rotated } from "../statistics.js";
import { contenders } from "./contenders.js";

/**
 * @typedef {{ TopicGroup: string | null, Sentiment: number, Comment: string, RespondentId: string, StringKey: number }} Finding
 * @typedef {any} Table
 * @typedef {unknown} Essence of a result, which must be equal for both
 * @typedef {object} Query
 * @property {Record<string, (findings: Finding[]) => Essence>} plain by the way it is written, the usual one first
 * @property {(table: Table) => Essence} table
 * @property {(table: Table) => Essence} [toArray] the usual form over the plain objects of a table, which are built first
 */

/** The number of rows of a page. */
const pageSize = 100;

/** How many pages at the end, and how many single rows, are read: one alone takes less than the clock shows. */
const lastPages = 50;
const singleRows = 1000;

/** @type {Record<string, Query>} */
const queries = {
  countBy: {
    plain: { "a Map by text": countByText, "a Map of Maps": countByMaps },
    table: (table) => {
      const groups = table.countBy("TopicGroup", "Sentiment");
      return [groups.length, groups[0].count];
    },
  },
  "filter by number": {
    plain: { filter: (findings) => findings.filter(({ Sentiment }) => Sentiment <= -1).length },
    table: (table) => lengthOf(table.filter({ Sentiment: { max: -1 } })),
  },
  "filter by text": {
    plain: {
      filter: (findings) => findings.filter(({ Comment }) => Comment.toLowerCase().includes("breakfast")).length,
    },
    table: (table) => lengthOf(table.filter({ Comment: { contains: "breakfast" } })),
  },
  "sortBy number": {
    plain: { toSorted: (findings) => findings.toSorted((one, other) => one.Sentiment - other.Sentiment)[0].StringKey },
    table: (table) => firstOf(table.sortBy("Sentiment")),
  },
  "sortBy text": {
    plain: {
      toSorted: (findings) =>
        findings.toSorted(({ RespondentId: one }, { RespondentId: other }) =>
          one < other ? -1 : Number(one > other),
        )[0].StringKey,
    },
    table: (table) => firstOf(table.sortBy("RespondentId")),
  },
};

/** @type {Record<string, Query>} */
const readings = {
  "iterate over all rows": {
    plain: { array: sumOf },
    table: sumOf,
    toArray: (table) => sumOf(table.toArray()),
  },
  [`page through, ${pageSize} rows each`]: {
    plain: { array: pageThrough },
    table: pageThrough,
    toArray: (table) => pageThrough(table.toArray()),
  },
  [`the last ${lastPages} slices of ${pageSize} rows`]: {
    plain: { array: sliceAtEnd },
    table: sliceAtEnd,
  },
  [`at, ${singleRows} rows far apart`]: {
    plain: { array: readSingleRows },
    table: readSingleRows,
  },
};

/** @typedef {{ inspectionKey: number, rounds: number }} Wanted */

/**
 * The times of all queries in milliseconds, round by round, under `query: way`.
 * @param {Wanted} wanted
 */
export function queryTable(wanted) {
  return measure(queries, wanted);
}

/**
 * The times of all ways to read rows in milliseconds, round by round, under `reading: way`.
 * @param {Wanted} wanted
 */
export function readRows(wanted) {
  return measure(readings, wanted);
}

/**
 * @param {Record<string, Query>} queries
 * @param {Wanted} wanted
 */
async function measure(queries, { inspectionKey, rounds }) {
  const findings = /** @type {Finding[]} */ (await contenders.promiseAll(inspectionKey));
  const table = /** @type {Table} */ (await contenders.loadTable(inspectionKey));
  /** @type {Record<string, number>[]} */
  const times = [];
  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round++) {
    times.push(Object.assign({}, ...Object.entries(queries).map(([name, one]) => ask(name, one, round))));
  }
  return times.slice(1);

  /**
   * @param {string} name
   * @param {Query} query
   * @param {number} round
   */
  function ask(name, { plain, table: ofTable, toArray }, round) {
    const ways = [
      ...Object.entries(plain).map(([way, run]) => ({ way, run: () => run(findings) })),
      ...(toArray === undefined ? [] : [{ way: "toArray", run: () => toArray(table) }]),
      { way: "table", run: () => ofTable(table) },
    ];
    /** @type {Record<string, number>} */
    const time = {};
    /** @type {Set<string>} */
    const essences = new Set();
    for (const { way, run } of rotated(ways, round)) {
      globalThis.gc?.();
      const begin = performance.now();
      const essence = run();
      time[`${name}: ${way}`] = performance.now() - begin;
      essences.add(JSON.stringify(essence));
    }
    if (essences.size > 1) {
      throw new Error(`${name} has different results: ${[...essences].join(" and ")}`);
    }
    return time;
  }
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

/** @param {Finding[]} findings */
function countByMaps(findings) {
  /** @type {Map<string | null, Map<number, number>>} */
  const groups = new Map();
  for (const { TopicGroup, Sentiment } of findings) {
    let counts = groups.get(TopicGroup);
    if (counts === undefined) {
      counts = new Map();
      groups.set(TopicGroup, counts);
    }
    counts.set(Sentiment, (counts.get(Sentiment) ?? 0) + 1);
  }
  const sorted = [...groups]
    .flatMap(([group, counts]) => [...counts].map(([sentiment, count]) => ({ key: [group, sentiment], count })))
    .sort((one, other) => other.count - one.count);
  return [sorted.length, sorted[0].count];
}

/** @param {Table} view */
function lengthOf(view) {
  const { length } = view;
  view.free();
  return length;
}

/** @param {Table} view */
function firstOf(view) {
  const { StringKey } = view.at(0);
  view.free();
  return StringKey;
}

/** @typedef {{ length: number, at: (index: number) => Finding | undefined, slice: (start: number, end: number) => Finding[] }} Rows */

/** @param {Iterable<Finding>} findings */
function sumOf(findings) {
  let sum = 0;
  for (const { StringKey } of findings) {
    sum += StringKey;
  }
  return sum;
}

/** @param {Rows} rows */
function pageThrough(rows) {
  let sum = 0;
  for (let start = 0; start < rows.length; start += pageSize) {
    sum += sumOf(rows.slice(start, start + pageSize));
  }
  return sum;
}

/** @param {Rows} rows */
function sliceAtEnd(rows) {
  let sum = 0;
  for (let page = 1; page <= lastPages; page++) {
    const start = rows.length - page * pageSize;
    sum += sumOf(rows.slice(start, start + pageSize));
  }
  return sum;
}

/** @param {Rows} rows */
function readSingleRows(rows) {
  const distance = Math.floor(rows.length / singleRows);
  return sumOf(Array.from({ length: singleRows }, (_, index) => /** @type {Finding} */ (rows.at(index * distance))));
}
