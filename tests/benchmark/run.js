/** The benchmark: this package beside the usual ways, in one of three real browsers, with a real HTTP server. */

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import process from "node:process";
import { build } from "vite";
import { capture, script } from "../../tools/command.js";
import { launchEngine, titles } from "../../tools/engine.js";
import { inRepository } from "../../tools/repository.js";
import { Chromium } from "./chromium.js";
import { measureDecoding } from "./decoding.js";
import { measureKept } from "./kept.js";
import { measureLive } from "./live.js";
import { help, readOptions } from "./options.js";
import { measurePeak } from "./peak.js";
import { report } from "./report.js";
import { measureGrowth, measureRetrieval } from "./retrieval.js";
import { withService } from "./service.js";
import { measureSizes } from "./sizes.js";
import { measureStart } from "./start.js";
import { inTab } from "./tab.js";

/**
 * The setting of a part of the benchmark.
 * @typedef {object} Setting
 * @property {import("./options.js").Options} options
 * @property {import("../../tools/engine.js").Browser} browser
 * @property {string} page the folder of the built page
 * @property {(what: string) => void} note prints a message
 */

/** @typedef {Record<string, import("./statistics.js").Rows>} Tables by title */
/** @typedef {Record<string, Tables>} Results by part */

/** @type {Record<string, (setting: Setting) => Promise<Tables>>} */
const parts = {
  retrieval: measureRetrieval,
  decoding: measureDecoding,
  queries: inMemory("queryTable", 10),
  arrow: inMemory("writeArrow", 1),
  start: measureStart,
  live: measureLive,
  growth: measureGrowth,
  kept: measureKept,
  peak: measurePeak,
  sizes: measureSizes,
};

await script(() => runBenchmark(readOptions(process.argv.slice(2))), help);

/**
 * Runs the benchmark, prints the results and saves them.
 * @param {import("./options.js").Options} options
 */
async function runBenchmark(options) {
  const begin = performance.now();
  const page = inRepository("target", "benchmark", "page");
  await build({
    root: inRepository("tests", "benchmark", "page"),
    configFile: false,
    logLevel: "error",
    base: "./",
    build: { outDir: page, emptyOutDir: true, target: "esnext", modulePreload: false },
  });
  const browser = options.engine === "chromium" ? await Chromium.launch() : await launchEngine(options.engine);
  try {
    /** @type {Results} */
    const results = {};
    for (const [name, part] of Object.entries(parts).filter(([name]) => options.parts.includes(name))) {
      const note = (/** @type {string} */ what) => console.log(`Measuring: ${name}, ${what} …`);
      results[name] = await part({ options, browser, page, note });
    }
    const version = `${titles[options.engine]} ${browser.version()}`;
    console.log(report(options, version, results));
    const commit = capture("git", ["describe", "--always", "--dirty"]);
    const machine = { version, node: process.version, processor: cpus()[0]?.model, cores: availableParallelism() };
    const minutes = (performance.now() - begin) / 60_000;
    save({ commit, ...machine, options, minutes, results });
  } finally {
    await browser.close();
  }
}

/**
 * A part that compares ways in one page's memory.
 * @param {"queryTable" | "writeArrow"} name
 * @param {number} times the findings of a retrieval
 * @returns {(setting: Setting) => Promise<Tables>}
 */
function inMemory(name, times) {
  return (setting) =>
    withService(setting, async ({ url, findings }) => {
      const title = `${times * findings} findings`;
      setting.note(title);
      const call = { inspectionKey: times * findings, rounds: setting.options.rounds };
      return { [title]: await inTab(setting.browser, url, (tab) => tab.call(name, call)) };
    });
}

/**
 * Saves a run beside earlier ones.
 * @param {object} run
 */
function save(run) {
  const time = new Date().toISOString();
  const file = `benchmark-${time.slice(0, 19).replaceAll(":", "-")}.json`;
  mkdirSync(inRepository("target", "benchmark"), { recursive: true });
  writeFileSync(inRepository("target", "benchmark", file), `${JSON.stringify({ time, ...run }, null, 2)}\n`);
  console.log(`\nEverything is in target/benchmark/${file}.`);
}
