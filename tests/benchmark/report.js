/** The report: tables for people. */

import { baseline, wording } from "./contenders.js";
import { corpusNames } from "./corpus-names.js";
import { median } from "./statistics.js";
import { targets, worstOf } from "./targets.js";

/** @typedef {import("./run.js").Results} Results */

/** What the figures of a retrieval mean. */
const meanings = {
  "stall ms": "the longest time that the page's timer had to wait, measured in a separate run",
  "main ms": "the tasks of the main thread",
  "cpu ms": "the processor time of the main thread",
  "all cpu ms": "the processor time of all threads of all processes of the browser; on Linux only",
  "heap B": "bytes of the JavaScript heap that the result holds, for each finding",
  "bytes B":
    "for each finding, what the result says that it holds elsewhere: a table in the module's memory, or the bodies",
  "module B": "for each finding, the module's memory in the page, which never shrinks",
};

/** The figures that are also given as ratios to those of the baseline: `Promise.all`, or the same query of a table. */
const compared = ["wall ms", "cpu ms", "all cpu ms", "ms", "peak MB", "peak − idle MB"];

/** The times that are also given as speeds: the time of `JSON.parse` ÷ them. */
const speeds = ["table ms", "objects ms", "three columns ms"];

/**
 * @param {import("./options.js").Options} options
 * @param {string} version of the browser
 * @param {Results} results
 */
export function report({ engine, corpora, findings, rounds, latency, bodies }, version, results) {
  const run = `${version}: ${findings} findings, ${bodies} bodies, ${latency} ms of latency, medians of ${rounds}`;
  const reached = targets[engine].flatMap((target) => targetRow(target, results));
  const missing = corpusNames.filter((name) => !corpora.includes(name));
  const tables = Object.entries(results).flatMap(([part, tables]) =>
    Object.entries(tables).map(([title, rows]) => resultsTable(`${part}: ${title}`, rows)),
  );
  const legend = Object.entries(meanings).map(([figure, meaning]) => `${figure}: ${meaning}`);
  const heading = [`this package ÷ ${wording[baseline]}`, "ratio", "must", "aim", "reached", "worst corpus"];
  return [
    run,
    ...(reached.length === 0 ? [] : [table([heading, ...reached])]),
    `${reached.length} of ${targets[engine].length} targets were measured.`,
    ...(missing.length === 0 ? [] : [`Retrieval and memory were not measured in: ${missing.join(", ")}.`]),
    ...tables,
    ...("retrieval" in results ? [legend.join("\n")] : []),
  ]
    .map((text) => `\n${text}`)
    .join("\n");
}

/**
 * The row of a target; none if it was not measured.
 * @param {import("./targets.js").Target} target
 * @param {Results} results
 */
function targetRow(target, results) {
  const worst = worstOf(target, results);
  if (worst === undefined) return [];
  const { figure, must, aim, is } = target;
  const { value, corpus = "–" } = worst;
  const sign = is === "at most" ? "≤" : "≥";
  const reaches = (/** @type {number} */ bound) => (is === "at most" ? value <= bound : value >= bound);
  const verdict = reaches(aim) ? "aim" : reaches(must) ? "must" : "missed";
  return [[figure, value.toFixed(2), `${sign} ${must}`, `${sign} ${aim}`, verdict, corpus]];
}

/**
 * @param {string} title
 * @param {import("./statistics.js").Rows} rows
 */
function resultsTable(title, rows) {
  const names = Object.keys(rows);
  const at = (/** @type {string} */ name, /** @type {string} */ figure) => median(rows[name]?.[figure]);
  const baseOf = (/** @type {string} */ name) => (baseline in rows ? baseline : `${name.split(":")[0]}: table`);
  const figures = [...new Set(Object.values(rows).flatMap(Object.keys))];
  const columns = figures.flatMap((figure) => {
    const values = names.map((name) => at(name, figure));
    const ratios = names.map((name, index) => values[index] / at(baseOf(name), figure));
    const faster = names.map((name, index) => at(name, "parse ms") / values[index]);
    return [
      [figure, ...values.map(rounded)],
      ...(compared.includes(figure) && !ratios.every(Number.isNaN) ? [["÷", ...ratios.map(rounded)]] : []),
      ...(speeds.includes(figure) ? [["speed", ...faster.map(rounded)]] : []),
    ];
  });
  const known = new Map(Object.entries(wording));
  const labels = names.map((name) => known.get(name) ?? name);
  return table([title, ...labels].map((label, row) => [label, ...columns.map((column) => column[row])]));
}

/**
 * Formats a table with its first column to the left and the others to the right.
 * @param {string[][]} rows the heading first
 */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join("  "),
  );
  return [lines[0], "─".repeat(lines[0].length), ...lines.slice(1)].join("\n");
}

/** @param {number} value */
function rounded(value) {
  if (Number.isNaN(value)) return "–";
  return value.toFixed(Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
