/** The targets of the package in each engine, mostly as ratios to the usual way in the same run. */

import { baseline } from "./contenders.js";
import { shares } from "./corpus-names.js";
import { charts, questions, snapshot } from "./live.js";
import { median } from "./statistics.js";

/** @typedef {import("./run.js").Results} Results */
/** @typedef {import("./contenders.js").ContenderName} ContenderName */
/** @typedef {(row: string, figure: string) => number} At the median of a figure; NaN if it was not measured */
/** @typedef {(results: Results) => [title: string, value: number][]} Values `title` begins with the corpus where corpora differ */
/** @typedef {{ figure: string, must: number, aim: number, is: "at most" | "at least", of: Values }} Target */

const onLoopback = /^(?!.*Mbit\/s)/;
const onNetwork = /Mbit\/s$/;

/** @type {(figure: string, must: number, aim: number, of: Values) => Target} */
const atMost = (figure, must, aim, of) => ({ figure, must, aim, is: "at most", of });

/** @type {(figure: string, must: number, aim: number, of: Values) => Target} */
const atLeast = (figure, must, aim, of) => ({ figure, must, aim, is: "at least", of });

/** A value of each table of a part. @type {(part: string, value: (at: At) => number, title?: string | RegExp) => Values} */
const ofTables = (part, value, title = "") => {
  return ({ [part]: tables = {} }) =>
    Object.entries(tables)
      .filter(([name]) => name.match(title))
      .map(([name, rows]) => [name, value((row, figure) => median(rows[row]?.[figure]))]);
};

/** A figure of each corpus, which is a row, or its ratio to another one. @type {(part: string, title: string, of: string, to?: string) => Values} */
const ofRows = (part, title, of, to) => {
  return ({ [part]: tables }) =>
    Object.entries(tables?.[title] ?? {}).map(([corpus, row]) => [
      corpus,
      median(row[of]) / (to === undefined ? 1 : median(row[to])),
    ]);
};

/** A figure of a contender ÷ that of the baseline. @type {(name: ContenderName, figure: string, to?: ContenderName) => (at: At) => number} */
const toBaseline = (name, figure, to = baseline) => {
  return (at) => at(name, figure) / at(to, figure);
};

/** @type {(name: ContenderName, figure: string) => Values} */
const retrieved = (name, figure) => ofTables("retrieval", (at) => at(name, figure), onLoopback);

/** @type {(name: ContenderName, figure: string, network?: RegExp, to?: ContenderName) => Values} */
const compared = (name, figure, network = onLoopback, to = baseline) =>
  ofTables("retrieval", toBaseline(name, figure, to), network);

/** A time of the first call − that of the baseline. @type {(name: ContenderName, figure: string) => Values} */
const beyond = (name, figure) => ofTables("start", (at) => at(name, figure) - at(baseline, figure), "200 findings");

/** @type {(figure: string) => Values} */
const kept = (figure) => ofRows("kept", "for the next visit", figure);

/** A figure of a live table, or its ratio to another one. @type {(row: string, figure: string, to?: string) => Values} */
const live = (row, figure, to) => ofTables("live", (at) => at(row, figure) / (to === undefined ? 1 : at(row, to)));

const stalls = [
  atMost("longest stall, default, table, ms", 16, 8, retrieved("loadTable", "stall ms")),
  atMost("longest stall, default, objects, ms", 24, 12, retrieved("getFindings", "stall ms")),
];

/** The bounds of a figure for a table and for objects. @type {(figure: string, table: [number, number], objects: [number, number], of: (name: ContenderName) => Values, contenders?: ContenderName[]) => Target[]} */
const ofBoth = (figure, table, objects, of, [ofTable, ofObjects] = ["loadTable", "getFindings"]) => [
  atMost(`${figure}, table`, ...table, of(ofTable)),
  atMost(`${figure}, objects`, ...objects, of(ofObjects)),
];

/** @type {ContenderName[]} */
const inPage = ["loadTableInPage", "getFindingsInPage"];

/** @type {ContenderName[]} */
const patched = ["loadTablePatched", "getFindingsPatched"];

const secondCalls = ["200 findings", "10000 findings"].map((size) =>
  atMost(
    `second call, ${size}, wall time`,
    1.05,
    0.95,
    ofTables("start", toBaseline("getFindings", "second ms"), size),
  ),
);

/** @type {Record<import("../../tools/engine.js").EngineName, Target[]>} */
export const targets = {
  chromium: [
    ...ofBoth("main thread, processor time", [0.2, 0.12], [0.5, 0.35], (name) => compared(name, "cpu ms")),
    ...ofBoth("all threads, processor time", [0.95, 0.75], [1.2, 1], (name) => compared(name, "all cpu ms")),
    ...ofBoth("wall time", [0.98, 0.85], [1.15, 0.95], (name) => compared(name, "wall ms")),
    ...ofBoth("main thread, worker: false", [0.65, 0.45], [0.9, 0.65], (name) => compared(name, "cpu ms"), inPage),
    ...ofBoth("wall time, worker: false", [0.9, 0.8], [1.05, 0.9], (name) => compared(name, "wall ms"), inPage),
    ...ofBoth("main thread, wrapped fetch", [0.4, 0.3], [0.58, 0.45], (name) => compared(name, "cpu ms"), patched),
    ...ofBoth("all threads, wrapped fetch", [1.17, 1], [1.39, 1.2], (name) => compared(name, "all cpu ms"), patched),
    ...ofBoth("main thread, slow network", [0.2, 0.1], [0.45, 0.3], (name) => compared(name, "cpu ms", onNetwork)),
    ...ofBoth("wall time, slow network", [1.01, 0.99], [1.01, 0.99], (name) => compared(name, "wall ms", onNetwork)),
    ...stalls,
    ...ofBoth("first call, 200 findings, token, wall ms beyond", [50, 25], [50, 25], (name) =>
      beyond(name, "first ms"),
    ),
    ...ofBoth("first call, main thread ms beyond", [35, 15], [35, 15], (name) => beyond(name, "its cpu ms")),
    ...ofBoth("peak of all processes", [1, 0.7], [1, 0.7], (name) => ofTables("peak", toBaseline(name, "peak MB"))),
    atMost("heap per finding, objects", 0.4, 0.3, compared("getFindings", "heap B")),
    atMost("heap per finding, table", 0.02, 0, compared("loadTable", "heap B")),
    atMost("size of a table ÷ bytes of JSON", 0.4, 0.25, compared("loadTable", "bytes B", onLoopback, "bytesOnly")),
    atMost("main thread, three columns, table", 0.14, 0.1, compared("loadTableOfColumns", "main ms")),
    atMost("table per finding, three columns, bytes", 30, 12, retrieved("loadTableOfColumns", "bytes B")),
    atMost("heap per finding, three columns, objects, bytes", 110, 80, retrieved("getFindingsOfColumns", "heap B")),
    ...["Chromium", "Node"].flatMap((host) => [
      atMost(
        `decode of bodies in memory, ${host}, three columns, time ÷ all columns`,
        0.75,
        0.4,
        ofRows("decoding", host, "three columns ms", "table ms"),
      ),
      atLeast(`decode of bodies in memory, ${host}, speed`, 2, 3.5, ofRows("decoding", host, "parse ms", "table ms")),
      atLeast(`bodies to objects, ${host}, speed`, 1.25, 2, ofRows("decoding", host, "parse ms", "objects ms")),
    ]),
    atMost("toBytes, ms", 60, 25, kept("toBytes ms")),
    atMost("fromBytes, ms", 80, 30, kept("fromBytes ms")),
    atMost("size of a kept table ÷ bytes of JSON", 0.65, 0.4, kept("÷ JSON")),
    atMost("second visit, requests", 1, 1, kept("requests")),
    atMost("second visit, from fromBytes to the first chart, ms", 150, 80, kept("first chart ms")),
    atMost("from a body to the first charts, worker, ms", 50, 20, live(charts, "first charts ms")),
    atMost("from a body to later charts, worker, ms", 33.3, 16.7, live(charts, "later charts ms")),
    atMost("main-thread time, worker, ten live charts ÷ ten at the end", 2, 1.3, live(charts, "live ms", "at end ms")),
    atMost(
      "main-thread processor time, worker, ten live charts ÷ ten at the end",
      2,
      1.3,
      live(charts, "live cpu ms", "at end cpu ms"),
    ),
    atMost("questions of ten charts at each snapshot ÷ once", 2, 1.2, live(questions, "live ms", "at end ms")),
    atMost(
      "processor time, questions of ten charts at each snapshot ÷ once",
      2,
      1.2,
      live(questions, "live cpu ms", "at end cpu ms"),
    ),
    atMost("a snapshot of 500 chunks, ms", 0.5, 0.1, live(snapshot, "live ms")),
    atMost(
      "main-thread time, worker, table, ten times the findings ÷ once",
      11,
      10,
      ofTables("growth", (at) => at("loadTableInWorker", "large ÷ usual")),
    ),
    ...secondCalls,
    atLeast(
      "countBy of two columns, speed ÷ a Map",
      10,
      30,
      ofTables("queries", (at) => at("countBy: a Map by text", "ms") / at("countBy: table", "ms")),
    ),
    atMost(
      "a table as an Arrow stream, ms",
      60,
      20,
      ofTables("arrow", (at) => at("toArrowIPC: table", "ms")),
    ),
    atMost(
      "a table as an Arrow stream, time ÷ apache-arrow from objects",
      0.1,
      0.03,
      ofTables("arrow", (at) => at("toArrowIPC: table", "ms") / at("apache-arrow: objects", "ms")),
    ),
    atMost(
      "arrow entry, brotli, KB",
      3,
      1,
      ofTables("sizes", (at) => at("arrow.js", "brotli") / 1000),
    ),
    atMost(
      "shipped js + wasm, brotli, KB",
      125.9,
      123.9,
      ofTables("sizes", (at) => at("all of index.js", "brotli") / 1000),
    ),
  ],
  firefox: [
    ...ofBoth("wall time", [1.05, 0.85], [1.25, 1], (name) => compared(name, "wall ms")),
    ...ofBoth("wall time, slow network", [1.01, 0.99], [1.01, 0.99], (name) => compared(name, "wall ms", onNetwork)),
    ...stalls,
    ...secondCalls,
  ],
  webkit: [
    ...ofBoth("wall time", [1.1, 0.85], [1.25, 1], (name) => compared(name, "wall ms")),
    ...ofBoth("wall time, slow network", [1.01, 0.99], [1.01, 0.99], (name) => compared(name, "wall ms", onNetwork)),
    ...stalls,
    ...secondCalls,
  ],
};

/**
 * The worst value of a target over the corpora, and its corpus where they differ; undefined if it was not measured.
 * @param {Target} target
 * @param {Results} results
 */
export function worstOf({ of, is }, results) {
  const [worst] = of(results)
    .map(([title, value]) => ({ value, corpus: title.split(", ")[0] }))
    .filter(({ value }) => !Number.isNaN(value))
    .toSorted((one, other) => (is === "at most" ? other.value - one.value : one.value - other.value));
  return worst && { value: worst.value, ...(worst.corpus in shares && { corpus: worst.corpus }) };
}
