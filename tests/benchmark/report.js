/** The report: tables for people, and all results in a file. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { log } from "../../tools/command.js";
import { titles } from "../../tools/engine.js";
import { inRepository } from "../../tools/repository.js";
import { baseline, wording } from "./contenders.js";
import { corpora } from "./corpora.js";
import { countingCorpora } from "./options.js";
import { factor } from "./peak.js";
import { medianOf, ratio, targets, worstOf } from "./targets.js";

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
  bytes: [
    "bytes B",
    "for each finding, what the result says that it holds elsewhere: a table in the module's memory, or the bodies",
  ],
  moduleMemory: ["module B", "for each finding, the module's memory in the page, which never shrinks"],
};

/** The figures that are also given as ratios to the baseline. @type {Set<keyof Figures>} */
const compared = new Set(["wallTime", "taskTime"]);

/**
 * Formats all results of a run as text.
 * @param {Run} run
 */
export function report(run) {
  return [
    runLine,
    targetsTable,
    corporaLine,
    retrievalTables,
    decodingTable,
    queriesTable,
    rowsTable,
    liveTable,
    arrowTable,
    startTable,
    keptTable,
    peakTables,
    sizesTable,
  ]
    .map((part) => part(run))
    .filter((text) => text !== undefined)
    .map((text) => `\n${text}`)
    .join("\n");
}

/**
 * Saves a run beside earlier ones.
 * @param {object} content
 */
export function save(content) {
  const folder = inRepository("target", "benchmark");
  const time = new Date().toISOString();
  const file = `benchmark-${time.slice(0, 19).replaceAll(":", "-")}.json`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), `${JSON.stringify({ time, ...content }, null, 2)}\n`);
  log(`\nEverything is in target/benchmark/${file}.`);
}

/**
 * Formats a table with its first column to the left and the others to the right.
 * @param {(string | undefined)[][]} rows the heading first
 */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 1)));
  const lines = rows.map((row) =>
    widths
      .map((width, column) => (column === 0 ? (row[0] ?? "").padEnd(width) : (row[column] ?? "–").padStart(width)))
      .join("  "),
  );
  return [lines[0], "─".repeat(lines[0].length), ...lines.slice(1)].join("\n");
}

/** @param {Run} run */
function runLine({ engine, version, findings, rounds, latency, bodies }) {
  return `${titles[engine]} ${version}: ${findings} findings, ${bodies} bodies, ${latency} ms of latency, medians of ${rounds}`;
}

/** @param {Run} run */
function targetsTable({ engine, results }) {
  const rows = targets[engine].flatMap((target) => {
    const { figure, must, aim, is } = target;
    const worst = worstOf(target, results);
    if (worst === undefined) {
      return [];
    }
    const { value, corpus } = worst;
    const sign = is === "at most" ? "≤" : "≥";
    const reaches = (/** @type {number} */ bound) => (is === "at most" ? value <= bound : value >= bound);
    const verdict = reaches(aim) ? "aim" : reaches(must) ? "must" : "missed";
    return [[figure, rounded(value, 2), `${sign} ${must}`, `${sign} ${aim}`, verdict, corpus]];
  });
  const heading = [`this package ÷ ${wording[baseline]}`, "ratio", "must", "aim", "reached", "worst corpus"];
  return rows.length === 0 ? undefined : table([heading, ...rows]);
}

/** @param {Run} run */
function corporaLine({ corpora: measured, results: { retrieval, peak } }) {
  if (retrieval === undefined && peak === undefined) {
    return undefined;
  }
  const missing = countingCorpora.filter((name) => !measured.includes(name));
  return [
    `These corpora count: ${countingCorpora.join(", ")}.`,
    ...(missing.length === 0 ? [] : [`Of these, retrieval and memory were not measured in: ${missing.join(", ")}.`]),
  ].join("\n");
}

/** @param {Run} run */
function retrievalTables({ network: megabits, results: { retrieval } }) {
  if (retrieval === undefined) {
    return undefined;
  }
  const measured = Object.entries(retrieval).flatMap(([corpus, { loopback, network }]) => [
    { title: corpus, medians: loopback.medians },
    ...(network === undefined ? [] : [{ title: `${corpus}, ${megabits} Mbit/s`, medians: network.medians }]),
  ]);
  const shown = new Set(measured.flatMap(({ medians }) => figuresOf(medians)));
  const legend = [...shown].flatMap((figure) => {
    const [name, meaning] = figures[figure];
    return meaning === undefined ? [] : [`${name}: ${meaning}`];
  });
  return [...measured.map(retrievalTable), legend.join("\n")].join("\n\n");
}

/**
 * The figures that a contender has, in the order of the columns.
 * @param {import("./retrieval.js").Measured["medians"]} medians
 */
function figuresOf(medians) {
  const all = /** @type {(keyof Figures)[]} */ (Object.keys(figures));
  return all.filter((figure) => Object.values(medians).some((of) => of[figure] !== undefined));
}

/** @param {{ title: string, medians: import("./retrieval.js").Measured["medians"] }} measured */
function retrievalTable({ title, medians }) {
  const names = /** @type {ContenderName[]} */ (Object.keys(medians));
  const measured = figuresOf(medians);
  const cells = (/** @type {ContenderName} */ name, /** @type {keyof Figures} */ figure) => {
    const value = medians[name]?.[figure];
    return [
      rounded(value, 0),
      ...(compared.has(figure) ? [rounded(ratio(value, medians[baseline]?.[figure]), 2)] : []),
    ];
  };
  const heading = measured.flatMap((figure) => [figures[figure][0], ...(compared.has(figure) ? ["÷"] : [])]);
  const rows = names.map((name) => [wording[name], ...measured.flatMap((figure) => cells(name, figure))]);
  return table([[title, ...heading], ...rows]);
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
    "three columns ms",
    "three columns",
  ];
  const rows = Object.entries(decoding).flatMap(([host, measured]) =>
    Object.entries(measured).map(([corpus, { bytes, times }]) => {
      const parse = medianOf(times, "parse");
      const timeAndSpeed = (/** @type {string} */ name) => {
        const time = medianOf(times, name);
        return [rounded(time, 0), rounded(ratio(parse, time), 2)];
      };
      const name = `${host}: ${corpus}${corpora[corpus].counts ? "" : " (does not count)"}`;
      return [
        name,
        rounded(bytes / 1e6, 0),
        rounded(parse, 0),
        ...["loadTable", "getFindings", "loadTableOfColumns"].flatMap(timeAndSpeed),
      ];
    }),
  );
  return table([heading, ...rows]);
}

/** @param {Run} run */
function queriesTable({ results: { queries } }) {
  return queries && comparisonTable("query", queries);
}

/** @param {Run} run */
function rowsTable({ results: { rows } }) {
  return rows && comparisonTable("reading of rows", rows);
}

/**
 * @param {string} title
 * @param {Record<string, number>[]} rounds times by `name: way`, of which one way is `table`
 */
function comparisonTable(title, rounds) {
  const names = Object.keys(rounds[0]).sort();
  const rows = names.map((name) => {
    const time = medianOf(rounds, name);
    const quotient = ratio(time, medianOf(rounds, `${name.split(":")[0]}: table`));
    return [name, rounded(time, 1), quotient === undefined ? undefined : String(Number(quotient.toPrecision(2)))];
  });
  return table([[title, "ms", "÷ table"], ...rows]);
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
function keptTable({ results: { kept } }) {
  if (kept === undefined) {
    return undefined;
  }
  const rows = Object.entries(kept).map(([corpus, { medians }]) => [
    corpus,
    rounded(medians.writing, 0),
    rounded(medians.opening, 0),
    rounded(medians.toFirstChart, 0),
    rounded(medians.requests, 0),
    rounded(medians.bytes, 2),
  ]);
  return table([
    ["a table kept for the next visit", "toBytes ms", "fromBytes ms", "chart ms", "requests", "÷ JSON"],
    ...rows,
  ]);
}

/** @param {Run} run */
function peakTables({ results: { peak } }) {
  return (
    peak &&
    Object.entries(peak)
      .map(([corpus, measured]) => peakTable(corpus, measured))
      .join("\n\n")
  );
}

/**
 * @param {string} corpus
 * @param {{ medians: Record<string, import("./peak.js").Peak> }} measured
 */
function peakTable(corpus, { medians }) {
  const rows = Object.entries(medians).map(([name, { idle, peak }]) => [
    wording[/** @type {ContenderName} */ (name)],
    rounded(idle / 1e6, 0),
    rounded(peak / 1e6, 0),
    rounded(ratio(peak, medians[baseline].peak), 2),
    rounded(ratio(peak - idle, medians[baseline].peak - medians[baseline].idle), 2),
  ]);
  const title = `resident sets of all processes, MB, ${factor} times the findings, ${corpus}`;
  return table([[title, "idle", "peak", "÷", "peak − idle ÷"], ...rows]);
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
