/** The report: tables for people, and all results in a file. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { say } from "../../tools/command.js";
import { inRepository } from "../../tools/repository.js";
import { baseline, wording } from "./contenders.js";
import { corpora } from "./corpora.js";
import { medianOf, ratio, targets } from "./targets.js";

/** @typedef {import("./run.js").Results} Results */
/** @typedef {import("./contenders.js").ContenderName} ContenderName */

/**
 * Formats all results as text.
 * @param {Results} results
 */
export function report(results) {
  return [targetsTable, retrievalTable, decodingTable, queriesTable, startLine, sizesTable]
    .map((part) => part(results))
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

/** @param {Results} results */
function targetsTable(results) {
  const rows = targets.map(({ figure, must, aim, is, of }) => {
    const value = of(results);
    const sign = is === "at most" ? "≤" : "≥";
    const reaches = (/** @type {number} */ bound) =>
      value !== undefined && (is === "at most" ? value <= bound : value >= bound);
    const verdict = value === undefined ? undefined : reaches(aim) ? "aim" : reaches(must) ? "must" : "missed";
    return [figure, rounded(value, 2), `${sign} ${must}`, `${sign} ${aim}`, verdict];
  });
  return table([[`this package ÷ ${wording[baseline]}`, "ratio", "must", "aim", "reached"], ...rows]);
}

/** @param {Results} results */
function retrievalTable({ retrieval }) {
  if (retrieval === undefined) {
    return undefined;
  }
  const names = /** @type {ContenderName[]} */ (Object.keys(retrieval.medians));
  const heading = ["retrieval", "wall ms", "main ms", "cpu ms", "longest ms", "heap B", "bytes B", "wasm B"];
  const rows = names.map((name) => {
    const { wallTime, taskTime, processorTime, longestTask, heap, bytes, wasmMemory } =
      retrieval.medians[name] ?? missing(name);
    const times = [wallTime, taskTime, processorTime, longestTask];
    return [wording[name], ...[...times, heap, bytes, wasmMemory].map((figure) => rounded(figure, 0))];
  });
  return `${table([heading, ...rows])}\nmain and cpu: of the main thread. For each finding, heap: what the result holds there; bytes: what it says that it\nholds elsewhere (a table, or the bodies); wasm: by how much the module's memory has grown.`;
}

/** @param {Results} results */
function decodingTable({ decoding }) {
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

/** @param {Results} results */
function queriesTable({ queries }) {
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

/** @param {Results} results */
function startLine({ start }) {
  return start && `From the import to the first request: ${rounded(start.median, 0)} ms.`;
}

/** @param {Results} results */
function sizesTable({ sizes }) {
  if (sizes === undefined) {
    return undefined;
  }
  const files = { ...sizes.files, "all together": sizes.total, "inline.js in their place": sizes.inline };
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

/**
 * @param {string} name
 * @returns {never}
 */
function missing(name) {
  throw new Error(`${name} was not measured`);
}
