/** The benchmark: this package beside the usual ways, in one of three real browsers, with a real HTTP server. */

import { mkdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { build } from "vite";
import { script } from "../../tools/command.js";
import { launchEngine, titles } from "../../tools/engine.ts";
import { inRepository } from "../../tools/repository.js";
import { launchUnobserved } from "./chromium.js";
import { baseline } from "./contenders.js";
import { goals, verdictOn } from "./goals.js";
import { help, readOptions } from "./options.js";
import { parts } from "./parts.js";
import { median } from "./rounds.js";

/** @typedef {Record<string, Record<string, import("./rounds.js").Rows>>} Results by part and title */

/** The figures that are also given as ratios to those of the baseline: `Promise.all`, or the same query of a table. */
const compared = ["wall ms", "cpu ms", "all cpu ms", "ms", "peak MB"];

/** What the figures of a retrieval mean. */
const legend = `main ms: the tasks of the main thread; cpu ms: its processor time; all cpu ms: that of all threads (on Linux only)
heap B, bytes B, module B: for each finding, the JavaScript heap of the result, what the result says that it holds elsewhere, and the module's memory`;

await script(() => runBenchmark(readOptions(process.argv.slice(2))), help);

/**
 * Runs the benchmark, prints the results and saves them beside earlier ones.
 * @param {import("./options.js").Options} options
 */
async function runBenchmark(options) {
  const folder = inRepository("target", "benchmark");
  const page = inRepository("target", "benchmark", "page");
  await build({
    root: inRepository("tests", "benchmark", "page"),
    configFile: false,
    logLevel: "error",
    base: "./",
    build: { outDir: page, emptyOutDir: true, target: "esnext", modulePreload: false },
  });
  const browser = options.engine === "chromium" ? await launchUnobserved() : await launchEngine(options.engine);
  try {
    /** @type {Results} */
    const results = {};
    for (const name of options.parts) {
      console.log(`Measuring: ${name} …`);
      results[name] = await parts[name]({ options, browser, page });
    }
    const version = `${titles[options.engine]} ${browser.version()}`;
    console.log(report(options, version, results));
    const time = new Date().toISOString();
    const file = `${folder}/benchmark-${time.slice(0, 19).replaceAll(":", "-")}.json`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `${JSON.stringify({ time, version, options, results }, null, 2)}\n`);
    console.log(`\nEverything is in ${file}.`);
  } finally {
    await browser.close();
  }
}

/**
 * @param {import("./options.js").Options} options
 * @param {string} version of the browser
 * @param {Results} results
 */
function report({ engine, rounds }, version, results) {
  const reached = goals[engine].map((goal) => verdictOn(goal, results)).filter((row) => row !== undefined);
  return [
    `${version}: medians of ${rounds}`,
    table([["goal, mostly as a ratio to the usual way", "is", "must", "aim", "reached", "worst in"], ...reached]),
    `${reached.length} of ${goals[engine].length} goals were measured.`,
    ...Object.entries(results).flatMap(([part, tables]) =>
      Object.entries(tables).map(([title, rows]) => resultsTable(`${part}: ${title}`, rows)),
    ),
    ...("retrieval" in results ? [legend] : []),
  ]
    .map((text) => `\n${text}`)
    .join("\n");
}

/**
 * @param {string} title
 * @param {import("./rounds.js").Rows} rows
 */
function resultsTable(title, rows) {
  const names = Object.keys(rows);
  const baseOf = (/** @type {string} */ name) => (baseline in rows ? baseline : `${name.split(":")[0]}: table`);
  const figures = [...new Set(Object.values(rows).flatMap(Object.keys))];
  const columns = figures.flatMap((figure) => {
    const at = (/** @type {string} */ name) => median(rows[name]?.[figure]);
    const ratios = names.map((name) => at(name) / at(baseOf(name)));
    const isCompared = compared.includes(figure) && !ratios.every(Number.isNaN);
    return [
      [figure, ...names.map((name) => rounded(at(name)))],
      ...(isCompared ? [["÷", ...ratios.map(rounded)]] : []),
    ];
  });
  return table([title, ...names].map((label, row) => [label, ...columns.map((column) => column[row])]));
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
