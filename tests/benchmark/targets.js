/** The targets of the package in each engine, mostly as ratios to the usual way in the same run. */

import { corpora } from "./corpora.js";
import { sizes } from "./start.js";
import { median } from "./statistics.js";

/** @typedef {import("./run.js").Results} Results */
/** @typedef {import("./contenders.js").ContenderName} ContenderName */
/** @typedef {import("./retrieval.js").Figures} Figures */

/**
 * @typedef {object} Target
 * @property {string} figure
 * @property {number} must
 * @property {number} aim
 * @property {"at most" | "at least"} is
 * @property {(results: Results) => number | undefined} of undefined if it was not measured
 */

/** @type {Target[]} */
const inChromium = [
  atMost("heap per finding, plain arrays", 0.4, 0.3, retrieved("getFindings", "heap")),
  atMost("heap per finding, table", 0.02, 0, retrieved("loadTable", "heap")),
  atMost("wasm memory per finding, table ÷ bytes of JSON", 0.4, 0.25, tableToJson),
  atMost("main-thread time, plain arrays", 0.95, 0.82, retrieved("getFindings", "taskTime")),
  atMost("main-thread processor time, plain arrays", 0.95, 0.82, retrieved("getFindings", "processorTime")),
  atMost("main-thread time, table", 0.85, 0.7, retrieved("loadTable", "taskTime")),
  atMost("main-thread processor time, table", 0.85, 0.7, retrieved("loadTable", "processorTime")),
  atMost("wall time, plain arrays", 1.05, 0.95, retrieved("getFindings", "wallTime")),
  atMost("wall time, table", 0.9, 0.8, retrieved("loadTable", "wallTime")),
  atMost("main-thread time, worker, plain arrays", 0.45, 0.25, retrieved("getFindingsInWorker", "taskTime")),
  atMost("main-thread time, worker, table", 0.08, 0.04, retrieved("loadTableInWorker", "taskTime")),
  atMost("longest task, worker, plain arrays, ms", 24, 12, longest("getFindingsInWorker")),
  atMost("longest task, worker, table, ms", 16, 8, longest("loadTableInWorker")),
  atMost("wall time, worker, plain arrays", 1.05, 0.95, retrieved("getFindingsInWorker", "wallTime")),
  atMost("wall time, worker, table", 0.95, 0.8, retrieved("loadTableInWorker", "wallTime")),
  atMost("from a body to the first charts, worker, ms", 50, 20, ({ live }) => live?.medians.toFirstCharts),
  atMost("from a body to later charts, worker, ms", 33.3, 16.7, ({ live }) => live?.medians.toLaterCharts),
  atMost("main-thread time, worker, ten live charts ÷ ten at the end", 2, 1.3, lived("live", "atEnd")),
  atMost(
    "main-thread processor time, worker, ten live charts ÷ ten at the end",
    2,
    1.3,
    lived("liveProcessor", "atEndProcessor"),
  ),
  atMost("questions of ten charts at each snapshot ÷ once", 2, 1.2, lived("questionsAtEach", "questionsOnce")),
  atMost(
    "processor time, questions of ten charts at each snapshot ÷ once",
    2,
    1.2,
    lived("questionsAtEachProcessor", "questionsOnceProcessor"),
  ),
  atMost("a snapshot of 500 chunks, ms", 0.5, 0.1, ({ live }) => live?.medians.snapshot),
  atMost("main-thread time, worker, table, ten times the findings ÷ once", 11, 10, ({ growth }) => growth?.ratio),
  atMost("peak memory, worker, table", 0.6, 0.4, peak("loadTableInWorker")),
  ...firstCall(),
  ...secondCalls(),
  atLeast("decode of bodies in memory, Chromium, worst corpus, speed", 2, 3.5, decoded("Chromium", "loadTable")),
  atLeast("decode of bodies in memory, Node, worst corpus, speed", 2, 3.5, decoded("Node", "loadTable")),
  atLeast("bodies to plain objects, Chromium, worst corpus, speed", 1.25, 2, decoded("Chromium", "getFindings")),
  atLeast("bodies to plain objects, Node, worst corpus, speed", 1.25, 2, decoded("Node", "getFindings")),
  atLeast("countBy of two columns, speed ÷ a Map", 10, 30, counted),
  atMost("a table as an Arrow stream, ms", 60, 20, ({ arrow }) => medianOf(arrow, "toArrowIPC: table")),
  atMost("a table as an Arrow stream, time ÷ apache-arrow from objects", 0.1, 0.03, ({ arrow }) =>
    ratio(medianOf(arrow, "toArrowIPC: table"), medianOf(arrow, "apache-arrow: objects")),
  ),
  atMost("arrow entry, brotli, KB", 3, 1, ({ sizes }) => sizes && sizes.arrow.brotli / 1000),
  atMost("shipped js + wasm, brotli, KB", 100, 72, ({ sizes }) => sizes && sizes.total.brotli / 1000),
];

/** @type {Record<import("../../tools/engine.js").EngineName, Target[]>} */
export const targets = {
  chromium: inChromium,
  firefox: [
    atMost("wall time, plain arrays", 1.2, 1, retrieved("getFindings", "wallTime")),
    atMost("wall time, table", 0.95, 0.9, retrieved("loadTable", "wallTime")),
    ...stallsInWorker(),
    ...secondCalls(),
  ],
  webkit: [
    atMost("wall time, plain arrays", 1.45, 1.2, retrieved("getFindings", "wallTime")),
    atMost("wall time, table", 1.25, 1, retrieved("loadTable", "wallTime")),
    ...stallsInWorker(),
    ...secondCalls(),
  ],
};

/** @returns {Target[]} */
function firstCall() {
  const beyond =
    (/** @type {"first" | "firstTask" | "firstProcessor"} */ figure) =>
    (/** @type {Results} */ { start }) =>
      difference(start?.[200]?.medians.getFindings[figure], start?.[200]?.medians.promiseAll[figure]);
  return [
    atMost("first call, 200 findings, wall ms beyond", 45, 20, beyond("first")),
    atMost("first call, 200 findings, main-thread ms beyond", 25, 12, beyond("firstTask")),
    atMost("first call, 200 findings, main-thread processor ms beyond", 25, 12, beyond("firstProcessor")),
  ];
}

/** @returns {Target[]} */
function secondCalls() {
  return sizes.map(({ findings }) =>
    atMost(`second call, ${findings} findings, wall time`, 1.05, 0.95, ({ start }) =>
      ratio(start?.[findings]?.medians.getFindings.second, start?.[findings]?.medians.promiseAll.second),
    ),
  );
}

/**
 * The peak of a tab's resident set ÷ that of `Promise.all` + `response.json()`.
 * @param {ContenderName} name
 * @returns {Target["of"]}
 */
function peak(name) {
  return ({ peak }) => ratio(peak?.medians[name]?.peak, peak?.medians.promiseAll?.peak);
}

/** @returns {Target[]} */
function stallsInWorker() {
  return [
    atMost("longest stall, worker, plain arrays, ms", 24, 12, longest("getFindingsInWorker")),
    atMost("longest stall, worker, table, ms", 16, 8, longest("loadTableInWorker")),
  ];
}

/**
 * @param {string} figure
 * @param {number} must
 * @param {number} aim
 * @param {Target["of"]} of
 * @returns {Target}
 */
function atMost(figure, must, aim, of) {
  return { figure, must, aim, is: "at most", of };
}

/**
 * @param {string} figure
 * @param {number} must
 * @param {number} aim
 * @param {Target["of"]} of
 * @returns {Target}
 */
function atLeast(figure, must, aim, of) {
  return { figure, must, aim, is: "at least", of };
}

/**
 * A measurement of a retrieval ÷ that of `Promise.all` + `response.json()`.
 * @param {ContenderName} name
 * @param {keyof Figures} figure
 * @returns {Target["of"]}
 */
function retrieved(name, figure) {
  return ({ retrieval }) => ratio(retrieval?.medians[name]?.[figure], retrieval?.medians.promiseAll?.[figure]);
}

/**
 * The longest task of the main thread, or stall where no tasks are measured, in milliseconds.
 * @param {ContenderName} name
 * @returns {Target["of"]}
 */
function longest(name) {
  return ({ retrieval }) => retrieval?.medians[name]?.longestTask ?? retrieval?.medians[name]?.longestStall;
}

/**
 * The speed of a decoder ÷ that of `JSON.parse`, at the worst of the corpora that count.
 * @param {import("./decoding.js").Host} host
 * @param {string} name
 * @returns {Target["of"]}
 */
function decoded(host, name) {
  return ({ decoding }) => {
    const counted = Object.entries(decoding?.[host] ?? {}).filter(([corpus]) => corpora[corpus].counts);
    const speeds = counted.flatMap(([, { times }]) => ratio(medianOf(times, "parse"), medianOf(times, name)) ?? []);
    return speeds.length === 0 ? undefined : Math.min(...speeds);
  };
}

/**
 * A measurement of a live table ÷ another one of the same rounds.
 * @param {keyof import("./live.js").LiveFigures} of
 * @param {keyof import("./live.js").LiveFigures} to
 * @returns {Target["of"]}
 */
function lived(of, to) {
  return ({ live }) => ratio(live?.medians[of], live?.medians[to]);
}

/** @type {Target["of"]} */
function tableToJson({ retrieval }) {
  return ratio(retrieval?.medians.loadTable?.bytes, retrieval?.medians.bytesOnly?.bytes);
}

/** @type {Target["of"]} */
function counted({ queries }) {
  return ratio(medianOf(queries, "countBy: a Map by text"), medianOf(queries, "countBy: table"));
}

/**
 * The median over the rounds of the time with a name.
 * @param {Record<string, number>[] | undefined} rounds
 * @param {string} name
 */
export function medianOf(rounds, name) {
  return median((rounds ?? []).flatMap((times) => times[name] ?? []));
}

/**
 * @param {number | undefined} of
 * @param {number | undefined} to
 */
export function ratio(of, to) {
  return of === undefined || to === undefined ? undefined : of / to;
}

/**
 * @param {number | undefined} of
 * @param {number | undefined} to
 */
function difference(of, to) {
  return of === undefined || to === undefined ? undefined : of - to;
}
