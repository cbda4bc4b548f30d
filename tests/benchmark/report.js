/** The report: tables for people, and all results in a file. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { say } from "../../tools/command.js";
import { titles } from "../../tools/engine.js";
import { inRepository } from "../../tools/repository.js";
import { baseline, wording } from "./contenders.js";
import { corpora } from "./corpora.js";
import { medianOf, ratio, targets } from "./targets.js";

/** @typedef {import("./run.js").Results} Results */
/** @typedef {import("./retrieval.js").Figures} Figures */

/** @typedef {import("./options.js").Options & { version: string, results: Results }} Run */
/** @typedef {import("./contenders.js").ContenderName} ContenderName */

/**
 * The figures of a retrieval: the heading of each column and what it means.
 * @type {Record<keyof Figures, [string, string?]>}
 */
const figures = {
  wallTime: ["wall ms"],
  longestStall: ["stall ms", "the longest time without a turn of the page's timer, in a run of its own"],
  stalledTime: ["stalled ms", "the sum of what all such times are above 16 ms"],
  taskTime: ["main ms", "the tasks of the main thread"],
  processorTime: ["cpu ms", "the processor time of the main thread"],
  longestTask: ["task ms", "the longest task of the main thread"],
  heap: ["heap B", "for each finding, what the result holds in the heap"],
  bytes: ["bytes B", "for each finding, what the result says that it holds elsewhere (a table, or the bodies)"],
  wasmMemory: ["wasm B", "for each finding, by how much the module's memory has grown"],
};

/**
 * Formats all results of a run as text.
 * @param {Run} run
 */
export function report(run) {
  return [
    runLine,
    targetsTable,
    retrievalTable,
    concurrencyTable,
    decodingTable,
    queriesTable,
    liveTable,
    arrowTable,
    startTable,
    peakTable,
    sizesTable,
  ]
    .map((part) => part(run))
    .filter((text) => text !== undefined)
    .map((text) => `\n${text}`)
    .join("\n");
}

/**
 * Saves a run beside earlier ones.
 * @param {string} name
 * @param {object} content
 */
export function save(name, content) {
  const folder = inRepository("target", "benchmark");
  const time = new Date().toISOString();
  const file = `${name}-${time.slice(0, 19).replaceAll(":", "-")}.json`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), `${JSON.stringify({ time, ...content }, null, 2)}\n`);
  say(`\nEverything is in target/benchmark/${file}.`);
}

/**
 * Formats a table with its first column to the left and the others to the right.
 * @param {(string | undefined)[][]} rows the heading first
 */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 1)));
  const lines = rows.map((row) =>
    widths
      .map((width, column) => (column === 0 ? (row[0] ?? "").padEnd(width) : (row[column] ?? "–").padStart(width)))
      .join("  "),
  );
  return [lines[0], "─".repeat(lines[0].length), ...lines.slice(1)].join("\n");
}

/** @param {Run} run */
function runLine({ engine, version, corpus, findings, rounds, latency }) {
  return `${titles[engine]} ${version}: ${findings} findings (${corpus}), ${latency} ms of latency, medians of ${rounds}`;
}

/** @param {Run} run */
function targetsTable({ engine, results }) {
  const rows = targets[engine].map(({ figure, must, aim, is, of }) => {
    const value = of(results);
    const sign = is === "at most" ? "≤" : "≥";
    const reaches = (/** @type {number} */ bound) =>
      value !== undefined && (is === "at most" ? value <= bound : value >= bound);
    const verdict = value === undefined ? undefined : reaches(aim) ? "aim" : reaches(must) ? "must" : "missed";
    return [figure, rounded(value, 2), `${sign} ${must}`, `${sign} ${aim}`, verdict];
  });
  return table([[`this package ÷ ${wording[baseline]}`, "ratio", "must", "aim", "reached"], ...rows]);
}

/** @param {Run} run */
function retrievalTable({ results: { retrieval } }) {
  if (retrieval === undefined) {
    return undefined;
  }
  const names = /** @type {ContenderName[]} */ (Object.keys(retrieval.medians));
  const measured = /** @type {(keyof Figures)[]} */ (Object.keys(figures)).filter((figure) =>
    names.some((name) => retrieval.medians[name]?.[figure] !== undefined),
  );
  const rows = names.map((name) => [
    wording[name],
    ...measured.map((figure) => rounded(retrieval.medians[name]?.[figure], 0)),
  ]);
  const heading = ["retrieval", ...measured.map((figure) => figures[figure][0])];
  const legend = measured.flatMap((figure) => {
    const [name, meaning] = figures[figure];
    return meaning === undefined ? [] : [`${name}: ${meaning}`];
  });
  return [table([heading, ...rows]), ...legend].join("\n");
}

/** @param {Run} run */
function concurrencyTable({ results: { concurrency } }) {
  if (concurrency === undefined) {
    return undefined;
  }
  const rows = Object.entries(concurrency.medians).map(([label, time]) => [
    label,
    rounded(time, 0),
    rounded(ratio(time, concurrency.medians[baseline]), 2),
  ]);
  return table([["retrieval", "wall ms", `÷ ${wording[baseline]}`], ...rows]);
}

/** @param {Run} run */
function decodingTable({ results: { decoding } }) {
  if (decoding === undefined) {
    return undefined;
  }
  const heading = [
    "bodies in memory, speed ÷ JSON.parse",
    "MB",
    "parse ms",
    "table ms",
    "table",
    "objects ms",
    "objects",
  ];
  const rows = Object.entries(decoding).flatMap(([host, measured]) =>
    Object.entries(measured).map(([corpus, { bytes, times }]) => {
      const parse = medianOf(times, "parse");
      const timeAndSpeed = (/** @type {string} */ name) => {
        const time = medianOf(times, name);
        return [rounded(time, 0), rounded(ratio(parse, time), 2)];
      };
      const name = `${host}: ${corpus}${corpora[corpus].counts ? "" : " (does not count)"}`;
      return [name, rounded(bytes / 1e6, 0), rounded(parse, 0), ...["loadTable", "getFindings"].flatMap(timeAndSpeed)];
    }),
  );
  return table([heading, ...rows]);
}

/** @param {Run} run */
function queriesTable({ results: { queries } }) {
  if (queries === undefined) {
    return undefined;
  }
  const names = Object.keys(queries[0]).sort();
  const rows = names.map((name) => {
    const time = medianOf(queries, name);
    const speed = ratio(time, medianOf(queries, `${name.split(":")[0]}: table`));
    return [name, rounded(time, 1), name.endsWith(": table") ? "1.0" : rounded(speed, 1)];
  });
  return table([["query", "ms", "÷ table"], ...rows]);
}

/** @param {Run} run */
function liveTable({ results: { live } }) {
  if (live === undefined) {
    return undefined;
  }
  const { medians } = live;
  const rows = /** @type {[string, number, number?][]} */ ([
    ["from a body to the first charts", medians.toFirstCharts],
    ["from a body to later charts", medians.toLaterCharts],
    ["main thread, charts of every snapshot", medians.live, medians.liveProcessor],
    ["main thread, charts at the end", medians.atEnd, medians.atEndProcessor],
    ["questions at each snapshot", medians.questionsAtEach, medians.questionsAtEachProcessor],
    ["questions once", medians.questionsOnce, medians.questionsOnceProcessor],
    ["a snapshot of 500 chunks", medians.snapshot],
  ]);
  const heading = ["live table with ten charts, worker", "ms", "cpu ms"];
  return table([heading, ...rows.map(([name, ...times]) => [name, ...times.map((time) => rounded(time, 2))])]);
}

/** @param {Run} run */
function arrowTable({ results: { arrow } }) {
  if (arrow === undefined) {
    return undefined;
  }
  const rows = Object.keys(arrow[0]).map((way) => [way, rounded(medianOf(arrow, way), 1)]);
  return table([["an Arrow stream", "ms"], ...rows]);
}

/** @param {Run} run */
function startTable({ results: { start } }) {
  if (start === undefined) {
    return undefined;
  }
  const rows = Object.entries(start).flatMap(([findings, { medians }]) =>
    Object.entries(medians).map(([name, { first, firstTask, firstProcessor, second }]) => [
      `${findings} findings, ${wording[/** @type {ContenderName} */ (name)]}`,
      rounded(first, 0),
      rounded(firstTask, 0),
      rounded(firstProcessor, 0),
      rounded(second, 0),
    ]),
  );
  const heading = ["calls in a fresh tab, the import included", "first ms", "its main ms", "its cpu ms", "second ms"];
  return table([heading, ...rows]);
}

/** @param {Run} run */
function peakTable({ results: { peak } }) {
  if (peak === undefined) {
    return undefined;
  }
  const rows = Object.entries(peak.medians).map(([name, { idle, peak: most }]) => [
    wording[/** @type {ContenderName} */ (name)],
    rounded(idle / 1e6, 0),
    rounded(most / 1e6, 0),
    rounded(ratio(most, peak.medians[baseline].peak), 2),
  ]);
  return table([["resident set of the tab, MB", "idle", "peak", "peak ÷"], ...rows]);
}

/** @param {Run} run */
function sizesTable({ results: { sizes } }) {
  if (sizes === undefined) {
    return undefined;
  }
  const files = {
    ...sizes.files,
    "all together": sizes.total,
    "inline.js in their place": sizes.inline,
    "testing.js, which only tests load": sizes.testing,
    "arrow.js": sizes.arrow,
  };
  const rows = Object.entries(files).map(([name, { raw, gzip, brotli }]) => [name, ...[raw, gzip, brotli].map(String)]);
  return table([["shipped file, bytes", "raw", "gzip", "brotli"], ...rows]);
}

/**
 * @param {number | undefined} value
 * @param {number} digits
 */
function rounded(value, digits) {
  return value?.toFixed(digits);
}
