/** The benchmark: this package beside the usual ways, in one of three real browsers, with a real HTTP server. */

import { build } from "vite";
import { say } from "../../tools/command.js";
import { launchChromium, launchEngine, titles } from "../../tools/engine.js";
import { inRepository } from "../../tools/repository.js";
import { measureConcurrency } from "./concurrency.js";
import { measureDecoding } from "./decoding.js";
import { describeMachine, describeVersions } from "./environment.js";
import { measureGrowth } from "./growth.js";
import { measureLive } from "./live.js";
import { partitions } from "./options.js";
import { measurePeak } from "./peak.js";
import { report, save } from "./report.js";
import { measureRetrieval } from "./retrieval.js";
import { measureScale } from "./scale.js";
import { startService } from "./service.js";
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
 * @property {{ url: string }} service
 * @property {boolean} hasTable whether this build of the package has tables
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
  live: measureLive,
  arrow: measureArrow,
  start: measureStart,
  growth: measureGrowth,
  peak: measurePeak,
  concurrency: measureConcurrency,
  sizes: measureSizes,
};

/** @typedef {{ [Name in keyof typeof parts]?: Awaited<ReturnType<typeof parts[Name]>> }} Results */

/** Exposes the garbage collector, and exact memory sizes. */
const measuring = ["--js-flags=--expose-gc", "--enable-precise-memory-info"];

/**
 * Runs the benchmark, prints the results and saves them.
 * @param {Options} options
 */
export async function runBenchmark(options) {
  const page = inRepository("target", "benchmark", "page");
  await buildPage(page);
  if (options.scale) {
    const environment = await describeEnvironment("chromium");
    save("scale", { ...environment, results: await measureScale({ page, launch: launchChromium }) });
  } else {
    const environment = await describeEnvironment(options.engine);
    const results = await measureAll(options, page);
    say(report({ ...options, version: environment.versions[titles[options.engine]], results }));
    save("benchmark", { ...environment, options, results });
  }
}

/**
 * @param {Options} options
 * @param {string} page the folder of the built page
 */
async function measureAll(options, page) {
  say("Preparing the findings …");
  const { engine, corpus, latency, findings } = options;
  const service = await startService({ page, latency, corpus, partitions, partitionSize: findings / partitions });
  const browser = await launch(engine);
  try {
    return await measureParts({
      options,
      engine,
      browser,
      page,
      service,
      hasTable: await hasTable(browser, service.url),
    });
  } finally {
    await browser.close();
    service.close();
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
      const note = (/** @type {string} */ what) => say(`Measuring: ${name}, ${what} …`);
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

/** @param {import("../../tools/engine.js").EngineName} engine */
async function describeEnvironment(engine) {
  const browser = await launchEngine(engine);
  try {
    return { machine: describeMachine(), versions: describeVersions({ [titles[engine]]: browser.version() }) };
  } finally {
    await browser.close();
  }
}

/**
 * @param {import("../../tools/engine.js").EngineName} engine
 * @returns {Promise<import("../../tools/engine.js").Browser>}
 */
function launch(engine) {
  return engine === "chromium" ? launchChromium(measuring) : launchEngine(engine);
}

/**
 * @param {import("../../tools/engine.js").Browser} browser
 * @param {string} url
 */
function hasTable(browser, url) {
  return inTab(browser, url, (tab) => tab.call("hasTable"));
}

/** @param {Setting} setting */
function measureQueries({ browser, service, options, hasTable, note }) {
  note(`over ${options.queriedFindings} findings`);
  const wanted = { inspectionKey: options.queriedFindings, rounds: options.rounds, hasTable };
  return inTab(browser, service.url, (tab) => tab.call("query", wanted));
}

/** @param {Setting} setting */
function measureArrow({ browser, service, options, note }) {
  note(`streams of ${options.findings} findings`);
  const wanted = { inspectionKey: options.findings, rounds: options.rounds };
  return inTab(browser, service.url, (tab) => tab.call("writeArrow", wanted));
}
