/** The scale: the largest inspection that a tab can hold in each form, doubled until it cannot. */

import { say } from "../../tools/command.js";
import { contenderNames, wording } from "./contenders.js";
import { repeatingTexts } from "./corpora.js";
import { DevTools } from "./devtools.js";
import { memoryInUse } from "./environment.js";
import { table } from "./report.js";
import { startService } from "./service.js";
import { Tab } from "./tab.js";

/** @typedef {import("./contenders.js").ContenderName} ContenderName */
/** @typedef {import("../../tools/engine.js").Browser} Browser */
/** @typedef {{ findings: number, seconds: number, failure: string | undefined, memory: number }} Attempt */

/** The size of partitions, so large that the number of requests is no limit. */
const partitionSize = 20_000;

const first = 400_000;
const mostSeconds = 600;
const mostMemory = 20e9;

/** The contenders that can hold an inspection. */
const holders = /** @type {ContenderName[]} */ ([
  "promiseAll",
  "getFindings",
  "loadTable",
  "getFindingsInWorker",
  "loadTableInWorker",
]);

/**
 * @param {object} setting
 * @param {string} setting.page
 * @param {() => Promise<Browser>} setting.launch
 */
export async function measureScale({ page, launch }) {
  const service = await startService({ page, latency: 0, corpus: repeatingTexts, partitions: 5, partitionSize });
  try {
    const hasTable = await inBrowser((tab) => tab.call("hasTable"));
    /** @type {Partial<Record<ContenderName, Attempt[]>>} */
    const attempts = {};
    for (const name of contenderNames(hasTable).filter((name) => holders.includes(name))) {
      attempts[name] = await doubleUntilItFails(name);
    }
    say(`\n${scaleTable(attempts)}`);
    return attempts;
  } finally {
    service.close();
  }

  /** @param {ContenderName} name */
  async function doubleUntilItFails(name) {
    /** @type {Attempt[]} */
    const attempts = [];
    for (let findings = first; attempts.at(-1)?.failure === undefined; findings *= 2) {
      const attempt = await inBrowser((tab, browser) => hold(browser, tab, name, findings));
      say(`${wording[name]}: ${findings} findings in ${attempt.seconds.toFixed(0)} s: ${attempt.failure ?? "held"}`);
      attempts.push(attempt);
    }
    return attempts;
  }

  /**
   * @template Result
   * @param {(tab: Tab, browser: Browser) => Promise<Result>} work
   */
  async function inBrowser(work) {
    const browser = await launch();
    try {
      return await work(await Tab.open(browser, service.url), browser);
    } finally {
      await browser.close();
    }
  }
}

/**
 * @param {Browser} browser
 * @param {Tab} tab
 * @param {ContenderName} name
 * @param {number} findings
 * @returns {Promise<Attempt>}
 */
async function hold(browser, tab, name, findings) {
  const devTools = await DevTools.of(browser, tab);
  const begin = performance.now();
  const memory = watchMemory();
  const failure = await Promise.race([
    tab.call("retrieve", name, findings).then(
      () => undefined,
      (error) => String(error.message).split("\n")[0].replace("page.evaluate: ", ""),
    ),
    devTools.crashed().then(() => "the tab has crashed"),
    memory.exceeded.then(() => `more than ${mostMemory / 1e9} GB of memory`),
    memory.outOfTime.then(() => `more than ${mostSeconds} s`),
  ]);
  memory.stop();
  return { findings, seconds: (performance.now() - begin) / 1000, failure, memory: memory.most() };
}

/** Measures the peak of the machine's memory in use, above its current level, and the time. */
function watchMemory() {
  const before = memoryInUse();
  const begin = performance.now();
  let most = 0;
  /** @type {PromiseWithResolvers<void>} */
  const exceeded = Promise.withResolvers();
  /** @type {PromiseWithResolvers<void>} */
  const outOfTime = Promise.withResolvers();
  const timer = setInterval(() => {
    most = Math.max(most, memoryInUse() - before);
    if (most > mostMemory) {
      exceeded.resolve();
    }
    if (performance.now() - begin > mostSeconds * 1000) {
      outOfTime.resolve();
    }
  }, 250);
  return {
    exceeded: exceeded.promise,
    outOfTime: outOfTime.promise,
    most: () => most,
    stop: () => clearInterval(timer),
  };
}

/** @param {Partial<Record<ContenderName, Attempt[]>>} attempts */
function scaleTable(attempts) {
  const rows = Object.entries(attempts).map(([name, all]) => {
    const held = all.filter(({ failure }) => failure === undefined).at(-1);
    const memory = held && (held.memory / 1e9).toFixed(1);
    const label = wording[/** @type {ContenderName} */ (name)];
    return [label, String(held?.findings ?? 0), memory, String(all.at(-1)?.findings)];
  });
  return table([["largest inspection", "held findings", "with GB in use", "not held"], ...rows]);
}
