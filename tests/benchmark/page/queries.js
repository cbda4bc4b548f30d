/** Queries of a table, and their usual forms over an array of findings. */

import { rotated } from "../statistics.js";
import { contenders } from "./contenders.js";

/**
 * @typedef {{ TopicGroup: string | null, Sentiment: number, Comment: string, RespondentId: string, StringKey: number }} Finding
 * @typedef {any} Table
 * @typedef {unknown} Essence of a result, which must be equal for both
 * @typedef {object} Query
 * @property {Record<string, (findings: Finding[]) => Essence>} plain by the way it is written, the usual one first
 * @property {(table: Table) => Essence} table
 */

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

/**
 * The times of all queries in milliseconds, round by round, under `query: way`.
 * @param {object} wanted
 * @param {number} wanted.inspectionKey
 * @param {number} wanted.rounds
 * @param {boolean} wanted.hasTable whether the package has tables
 */
export async function query({ inspectionKey, rounds, hasTable }) {
  const findings = /** @type {Finding[]} */ (await contenders.promiseAll(inspectionKey));
  const table = hasTable ? await contenders.loadTable(inspectionKey) : undefined;
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
  function ask(name, query, round) {
    const ways = Object.entries(query.plain).map(([way, run]) => ({ way, run: () => run(findings) }));
    const all = table === undefined ? ways : [...ways, { way: "table", run: () => query.table(table) }];
    /** @type {Record<string, number>} */
    const time = {};
    /** @type {Set<string>} */
    const essences = new Set();
    for (const { way, run } of rotated(all, round)) {
      globalThis.gc?.();
      const begin = performance.now();
      const essence = run();
      time[`${name}: ${way}`] = performance.now() - begin;
      essences.add(JSON.stringify(essence));
    }
    if (essences.size > 1) {
      throw new Error(`${name} has different answers: ${[...essences].join(" and ")}`);
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
