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
 * @property {(results: Results) => number | Record<string, number> | undefined} of by corpus where corpora differ; undefined if it was not measured
 */

/** The networks on which a retrieval is measured. @typedef {keyof import("./retrieval.js").OfCorpus} Network */

/** @type {Target[]} */
const inChromium = [
  atMost("main thread, default, table", 0.24, 0.12, retrieved("loadTable", "taskTime")),
  atMost("main thread, default, objects", 0.52, 0.35, retrieved("getFindings", "taskTime")),
  atMost("wall time, default, table", 0.9, 0.75, retrieved("loadTable", "wallTime")),
  atMost("wall time, default, objects", 1.05, 0.9, retrieved("getFindings", "wallTime")),
  atMost("main thread, worker: false, table", 0.65, 0.45, retrieved("loadTableInPage", "taskTime")),
  atMost("main thread, worker: false, objects", 0.9, 0.65, retrieved("getFindingsInPage", "taskTime")),
  atMost("wall time, worker: false, table", 0.9, 0.8, retrieved("loadTableInPage", "wallTime")),
  atMost("wall time, worker: false, objects", 1.05, 0.9, retrieved("getFindingsInPage", "wallTime")),
  atMost("main thread, limited network, default, table", 0.16, 0.1, retrieved("loadTable", "taskTime", "network")),
  atMost("main thread, limited network, default, objects", 0.3, 0.18, retrieved("getFindings", "taskTime", "network")),
  atMost("wall time, limited network, default, table", 1.02, 0.98, retrieved("loadTable", "wallTime", "network")),
  atMost("wall time, limited network, default, objects", 1.02, 0.98, retrieved("getFindings", "wallTime", "network")),
  ...longestStalls(),
  ...firstCall(),
  atMost("peak of all processes, default, table", 1, 0.7, peak("loadTable")),
  atMost("peak of all processes, default, objects", 1, 0.7, peak("getFindings")),
  atMost("heap per finding, objects", 0.4, 0.3, retrieved("getFindings", "heap")),
  atMost("heap per finding, table", 0.02, 0, retrieved("loadTable", "heap")),
  atMost("size of a table ÷ bytes of JSON", 0.4, 0.25, tableToJson),
  atMost("main thread, three columns, table", 0.14, 0.1, retrieved("loadTableOfColumns", "taskTime")),
  atMost("table per finding, three columns, bytes", 30, 12, held("loadTableOfColumns", "bytes")),
  atMost("heap per finding, three columns, objects, bytes", 110, 80, held("getFindingsOfColumns", "heap")),
  atMost(
    "decode of bodies in memory, Chromium, three columns, time ÷ all columns",
    0.75,
    0.4,
    decodedColumns("Chromium"),
  ),
  atMost("decode of bodies in memory, Node, three columns, time ÷ all columns", 0.75, 0.4, decodedColumns("Node")),
  ...keptTable(),
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
  ...secondCalls(),
  atLeast("decode of bodies in memory, Chromium, speed", 2, 3.5, decoded("Chromium", "loadTable")),
  atLeast("decode of bodies in memory, Node, speed", 2, 3.5, decoded("Node", "loadTable")),
  atLeast("bodies to objects, Chromium, speed", 1.25, 2, decoded("Chromium", "getFindings")),
  atLeast("bodies to objects, Node, speed", 1.25, 2, decoded("Node", "getFindings")),
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
    atMost("wall time, default, table", 0.88, 0.8, retrieved("loadTable", "wallTime")),
    atMost("wall time, default, objects", 1.15, 1, retrieved("getFindings", "wallTime")),
    ...longestStalls(),
    ...secondCalls(),
  ],
  webkit: [
    atMost("wall time, default, table", 1.15, 1, retrieved("loadTable", "wallTime")),
    atMost("wall time, default, objects", 1.25, 1.1, retrieved("getFindings", "wallTime")),
    ...longestStalls(),
    ...secondCalls(),
  ],
};

/** @returns {Target[]} */
function firstCall() {
  const beyond =
    (/** @type {"loadTable" | "getFindings"} */ name, /** @type {"first" | "firstTask"} */ figure) =>
    (/** @type {Results} */ { start }) => {
      const medians = start?.[sizes[0].findings]?.medians;
      return difference(medians?.[name][figure], medians?.promiseAll[figure]);
    };
  return [
    atMost("first call, 200 findings, token, table, wall ms beyond", 40, 15, beyond("loadTable", "first")),
    atMost("first call, 200 findings, token, objects, wall ms beyond", 40, 15, beyond("getFindings", "first")),
    atMost("first call, 200 findings, token, table, main thread ms beyond", 30, 12, beyond("loadTable", "firstTask")),
    atMost(
      "first call, 200 findings, token, objects, main thread ms beyond",
      30,
      12,
      beyond("getFindings", "firstTask"),
    ),
  ];
}

/** @returns {Target[]} */
function keptTable() {
  const of =
    (/** @type {keyof import("./kept.js").Kept} */ figure) =>
    (/** @type {Results} */ { kept }) =>
      byCorpus(kept, ({ medians }) => medians[figure]);
  return [
    atMost("toBytes, ms", 60, 25, of("writing")),
    atMost("fromBytes, ms", 80, 30, of("opening")),
    atMost("size of a kept table ÷ bytes of JSON", 0.65, 0.4, of("bytes")),
    atMost("second visit, requests", 1, 1, of("requests")),
    atMost("second visit, from fromBytes to the first chart, ms", 150, 80, of("toFirstChart")),
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
 * The peak of the resident sets ÷ that of `Promise.all` + `response.json()`.
 * @param {"loadTable" | "getFindings"} name
 * @returns {Target["of"]}
 */
function peak(name) {
  return ({ peak }) => byCorpus(peak, ({ medians }) => ratio(medians[name].peak, medians.promiseAll.peak));
}

/** @returns {Target[]} */
function longestStalls() {
  const longest =
    (/** @type {ContenderName} */ name) =>
    (/** @type {Results} */ { retrieval }) =>
      byCorpus(retrieval, ({ loopback }) => loopback.medians[name]?.longestStall);
  return [
    atMost("longest stall, default, table, ms", 24, 12, longest("loadTable")),
    atMost("longest stall, default, objects, ms", 24, 12, longest("getFindings")),
  ];
}

/**
 * A figure of each measured corpus that counts.
 * @template Measured
 * @param {Record<string, Measured> | undefined} measured by corpus
 * @param {(measured: Measured) => number | undefined} figure
 */
function byCorpus(measured = {}, figure) {
  const figures = Object.entries(measured).flatMap(([corpus, of]) => {
    const value = corpora[corpus].counts ? figure(of) : undefined;
    return value === undefined ? [] : [[corpus, value]];
  });
  return figures.length === 0 ? undefined : /** @type {Record<string, number>} */ (Object.fromEntries(figures));
}

/**
 * The worst value of a target, and its corpus where corpora differ; undefined if it was not measured.
 * @param {Target} target
 * @param {Results} results
 * @returns {{ value: number, corpus?: string } | undefined}
 */
export function worstOf({ of, is }, results) {
  const value = of(results);
  if (typeof value !== "object") {
    return value === undefined ? undefined : { value };
  }
  const [worst] = Object.entries(value)
    .map(([corpus, value]) => ({ corpus, value }))
    .toSorted((one, other) => (is === "at most" ? other.value - one.value : one.value - other.value));
  return worst;
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
 * @param {Network} [network]
 * @returns {Target["of"]}
 */
function retrieved(name, figure, network = "loopback") {
  return ({ retrieval }) =>
    byCorpus(retrieval, ({ [network]: measured }) =>
      ratio(measured?.medians[name]?.[figure], measured?.medians.promiseAll?.[figure]),
    );
}

/**
 * What a contender's result holds for each finding.
 * @param {ContenderName} name
 * @param {keyof Figures} figure
 * @returns {Target["of"]}
 */
function held(name, figure) {
  return ({ retrieval }) => byCorpus(retrieval, ({ loopback }) => loopback.medians[name]?.[figure]);
}

/**
 * The time to decode three columns ÷ that of all.
 * @param {import("./decoding.js").Host} host
 * @returns {Target["of"]}
 */
function decodedColumns(host) {
  return ({ decoding }) =>
    byCorpus(decoding?.[host], ({ times }) =>
      ratio(medianOf(times, "loadTableOfColumns"), medianOf(times, "loadTable")),
    );
}

/**
 * The speed of a decoder ÷ that of `JSON.parse`.
 * @param {import("./decoding.js").Host} host
 * @param {string} name
 * @returns {Target["of"]}
 */
function decoded(host, name) {
  return ({ decoding }) =>
    byCorpus(decoding?.[host], ({ times }) => ratio(medianOf(times, "parse"), medianOf(times, name)));
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
  return byCorpus(retrieval, ({ loopback: { medians } }) => ratio(medians.loadTable?.bytes, medians.bytesOnly?.bytes));
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
