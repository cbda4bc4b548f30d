/** The benchmark: this package beside the usual ways, in one of three real browsers, with a real HTTP server. */

import { build } from "vite";
import { log } from "../../tools/command.js";
import { launchEngine, titles } from "../../tools/engine.js";
import { inRepository } from "../../tools/repository.js";
import { Chromium } from "./chromium.js";
import { measureDecoding } from "./decoding.js";
import { describeMachine, describeVersions } from "./environment.js";
import { measureGrowth } from "./growth.js";
import { measureKept } from "./kept.js";
import { measureLive } from "./live.js";
import { measurePeak } from "./peak.js";
import { report, save } from "./report.js";
import { measureRetrieval } from "./retrieval.js";
import { withService } from "./service.js";
import { measureSizes } from "./sizes.js";
import { measureStart } from "./start.js";
import { inTab } from "./tab.js";

/** @typedef {import("./options.js").Options} Options */

/**
 * The setting of all parts of the benchmark.
 * @typedef {object} Setting
 * @property {Options} options
 * @property {import("../../tools/engine.js").EngineName} engine
 * @property {import("../../tools/engine.js").Browser} browser
 * @property {string} page the folder of the built page
 * @property {(what: string) => void} note prints a message
 */

/**
 * The parts, each of which resolves with its results.
 * @satisfies {Record<string, (setting: Setting) => Promise<unknown>>}
 */
const parts = {
  retrieval: measureRetrieval,
  decoding: measureDecoding,
  queries: measureQueries,
  rows: measureRows,
  live: measureLive,
  arrow: measureArrow,
  start: measureStart,
  kept: measureKept,
  growth: measureGrowth,
  peak: measurePeak,
  sizes: measureSizes,
};

/** @typedef {{ [Name in keyof typeof parts]?: Awaited<ReturnType<typeof parts[Name]>> }} Results */

/**
 * Runs the benchmark, prints the results and saves them.
 * @param {Options} options
 */
export async function runBenchmark(options) {
  const begin = performance.now();
  const page = inRepository("target", "benchmark", "page");
  await buildPage(page);
  const { engine } = options;
  const browser = engine === "chromium" ? await Chromium.launch() : await launchEngine(engine);
  try {
    const environment = {
      machine: describeMachine(),
      versions: describeVersions({ [titles[engine]]: browser.version() }),
    };
    const results = await measureParts({ options, engine, browser, page });
    const minutes = (performance.now() - begin) / 60_000;
    log(report({ ...options, version: browser.version(), results }));
    save({ ...environment, options, minutes, results });
  } finally {
    await browser.close();
  }
}

/**
 * @param {Omit<Setting, "note">} setting
 * @returns {Promise<Results>}
 */
async function measureParts(setting) {
  /** @type {Record<string, unknown>} */
  const results = {};
  for (const [name, part] of Object.entries(parts)) {
    if (setting.options.parts.includes(name)) {
      const note = (/** @type {string} */ what) => log(`Measuring: ${name}, ${what} …`);
      results[name] = await part({ ...setting, note });
    }
  }
  return results;
}

/** @param {string} folder */
async function buildPage(folder) {
  await build({
    root: inRepository("tests", "benchmark", "page"),
    configFile: false,
    logLevel: "error",
    base: "./",
    build: { outDir: folder, emptyOutDir: true, target: "esnext", modulePreload: false },
  });
}

/** @param {Setting} setting */
function measureQueries(setting) {
  return withService(setting, ({ url, findings }) => {
    const wanted = { inspectionKey: 10 * findings, rounds: setting.options.rounds };
    setting.note(`over ${wanted.inspectionKey} findings`);
    return inTab(setting.browser, url, (tab) => tab.call("queryTable", wanted));
  });
}

/** @param {Setting} setting */
function measureRows(setting) {
  return withService(setting, ({ url, findings }) => {
    const wanted = { inspectionKey: 4 * findings, rounds: setting.options.rounds };
    setting.note(`of ${wanted.inspectionKey} findings`);
    return inTab(setting.browser, url, (tab) => tab.call("readRows", wanted));
  });
}

/** @param {Setting} setting */
function measureArrow(setting) {
  return withService(setting, ({ url, findings }) => {
    const wanted = { inspectionKey: findings, rounds: setting.options.rounds };
    setting.note(`streams of ${findings} findings`);
    return inTab(setting.browser, url, (tab) => tab.call("writeArrow", wanted));
  });
}
