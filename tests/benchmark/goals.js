/** The goals of the package in each engine, mostly as ratios to the usual way in the same run. */

import { baseline, defaults } from "./contenders.js";
import { median } from "./rounds.js";

/** @typedef {import("./run.js").Results} Results */
/** @typedef {(figure: string, row?: string) => number} Figure the median of a figure of a row, the goal's row unless given */
/** @typedef {(figure: Figure) => number} Value NaN if it was not measured */
/** @typedef {[title: string, part: string, row: string, must: number, aim: number, value: Value, tables?: RegExp]} Goal `row`: one contender, or a pattern of rows */

const [, objects, table] = defaults;
const onNetwork = /Mbit\/s$/;
const onLoopback = /^(?!.*Mbit\/s)/;

/** A figure ÷ that of the baseline. @type {(name: string) => Value} */
const ratio = (name) => (figure) => figure(name) / figure(name, baseline);

/** A figure − that of the baseline. @type {(name: string) => Value} */
const beyond = (name) => (figure) => figure(name) - figure(name, baseline);

/** @type {(name: string) => Value} */
const alone = (name) => (figure) => figure(name);

/** @type {(name: string, to: string) => Value} */
const within = (name, to) => (figure) => figure(name) / figure(to);

/** The goals of a figure for a table and for objects. @type {(title: string, forTable: [number, number], forObjects: [number, number], value: Value, what?: string, part?: string, tables?: RegExp) => Goal[]} */
const both = (title, forTable, forObjects, value, what = "", part = "retrieval", tables = onLoopback) => [
  [`${title}, table`, part, table + what, ...forTable, value, tables],
  [`${title}, objects`, part, objects + what, ...forObjects, value, tables],
];

/** @type {Goal[]} */
const everywhere = [
  ...both("wall time, slow network", [1.01, 0.99], [1.01, 0.99], ratio("wall ms"), "", "retrieval", onNetwork),
  ["longest stall, table, ms", "retrieval", table, 16, 8, alone("stall ms"), onLoopback],
  ["longest stall, objects, ms", "retrieval", objects, 24, 12, alone("stall ms"), onLoopback],
  ["second call, 200 findings, wall time", "start", objects, 1.05, 0.95, ratio("second ms"), /^200 /],
  ["second call, 10000 findings, wall time", "start", objects, 1.05, 0.95, ratio("second ms"), /^10000 /],
];

const [inPage, wrapped, columns] = [", worker: false", ", fetch is wrapped", ", three columns"];

/** A goal is "at most", unless its title says "speed". @type {Record<import("../../tools/engine.ts").EngineName, Goal[]>} */
export const goals = {
  chromium: [
    ...both("main thread, processor time", [0.2, 0.12], [0.5, 0.35], ratio("cpu ms")),
    ...both("all threads, processor time", [0.95, 0.75], [1.2, 1], ratio("all cpu ms")),
    ...both("wall time", [0.98, 0.85], [1.15, 0.95], ratio("wall ms")),
    ...both("main thread, worker: false", [0.65, 0.45], [0.9, 0.65], ratio("cpu ms"), inPage),
    ...both("wall time, worker: false", [0.9, 0.8], [1.05, 0.9], ratio("wall ms"), inPage),
    ...both("main thread, wrapped fetch", [0.4, 0.3], [0.58, 0.45], ratio("cpu ms"), wrapped),
    ...both("all threads, wrapped fetch", [1.17, 1], [1.39, 1.2], ratio("all cpu ms"), wrapped),
    ...both("main thread, slow network", [0.2, 0.1], [0.45, 0.3], ratio("cpu ms"), "", "retrieval", onNetwork),
    ...everywhere,
    ...both("first call, token, ms beyond", [50, 25], [50, 25], beyond("first ms"), "", "start", /^200 /),
    ...both("first call, main thread, ms beyond", [35, 15], [35, 15], beyond("its cpu ms"), "", "start", /^200 /),
    ...both("peak of all processes", [1, 0.7], [1, 0.7], ratio("peak MB"), "", "peak"),
    ...both("heap per finding", [0.02, 0], [0.4, 0.3], ratio("heap B")),
    ["size of a table ÷ bytes of JSON", "retrieval", table, 0.4, 0.25, overBytes, onLoopback],
    ["main thread, three columns, table", "retrieval", table + columns, 0.14, 0.1, ratio("main ms"), onLoopback],
    ["table per finding, three columns, bytes", "retrieval", table + columns, 30, 12, alone("bytes B"), onLoopback],
    ["heap per finding, three columns, bytes", "retrieval", objects + columns, 110, 80, alone("heap B"), onLoopback],
    ["bodies to a table, speed", "decoding", "", 2, 3.5, within("parse ms", "table ms")],
    ["bodies to objects, speed", "decoding", "", 1.25, 2, within("parse ms", "objects ms")],
    ["bodies to a table, three columns ÷ all", "decoding", "", 0.75, 0.4, within("three columns ms", "table ms")],
    ["toBytes, ms", "kept", "", 60, 25, alone("toBytes ms")],
    ["fromBytes, ms", "kept", "", 80, 30, alone("fromBytes ms")],
    ["size of a kept table ÷ bytes of JSON", "kept", "", 0.65, 0.4, alone("÷ JSON")],
    ["second visit, requests", "kept", "", 1, 1, alone("requests")],
    ["second visit, from fromBytes to the first chart, ms", "kept", "", 150, 80, alone("first chart ms")],
    ["main thread, ten live charts ÷ ten at the end", "live", "charts", 2, 1.3, within("live ms", "at end ms")],
    ["the same, processor time", "live", "charts", 2, 1.3, within("live cpu ms", "at end cpu ms")],
    ["a snapshot of 500 chunks, ms", "live", "charts", 0.5, 0.1, alone("snapshot ms")],
    ["countBy of two columns, speed ÷ a Map", "queries", "countBy: table", 10, 30, over("countBy: a Map by text")],
    ["arrow entry, brotli, bytes", "sizes", "arrow.js", 3000, 1000, alone("brotli")],
  ],
  firefox: [...both("wall time", [1.05, 0.85], [1.25, 1], ratio("wall ms")), ...everywhere],
  webkit: [...both("wall time", [1.1, 0.85], [1.25, 1], ratio("wall ms")), ...everywhere],
};

/**
 * The row of a goal in the report, at the worst of the tables or rows that it is about; undefined if it was not measured.
 * @param {Goal} goal
 * @param {Results} results
 */
export function verdictOn([title, part, row, must, aim, value, tables = /./], results) {
  const isSpeed = title.includes("speed");
  const [worst] = Object.entries(results[part] ?? {})
    .filter(([name]) => tables.test(name))
    .flatMap(([name, rows]) =>
      // Where corpora are rows, the goal names none.
      (row === "" ? Object.keys(rows) : [row]).map((one) => ({
        of: row === "" ? one : name,
        is: value((figure, other = one) => median(rows[other]?.[figure])),
      })),
    )
    .filter(({ is }) => !Number.isNaN(is))
    .toSorted((one, other) => (isSpeed ? one.is - other.is : other.is - one.is));
  if (worst === undefined) return undefined;
  const reaches = (/** @type {number} */ bound) => (isSpeed ? worst.is >= bound : worst.is <= bound);
  const sign = isSpeed ? "≥" : "≤";
  const verdict = reaches(aim) ? "aim" : reaches(must) ? "must" : "missed";
  return [title, worst.is.toFixed(2), `${sign} ${must}`, `${sign} ${aim}`, verdict, worst.of];
}

/** @type {Value} */
function overBytes(figure) {
  return figure("bytes B") / figure("bytes B", "bytes only, arrayBuffer()");
}

/** The time of another row ÷ that of the goal's. @type {(row: string) => Value} */
function over(row) {
  return (figure) => figure("ms", row) / figure("ms");
}
