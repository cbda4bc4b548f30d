/** The parts of the benchmark: each resolves with tables by title, whose rows have figures. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { brotliCompressSync } from "node:zlib";
import { titles } from "../../tools/engine.ts";
import { dist } from "../../tools/repository.js";
import { launchUnobserved } from "./chromium.js";
import { contenders, defaults } from "./contenders.js";
import { corpora, shareOf } from "./corpora.js";
import { isCounted, processorTime, residentMemory } from "./processes.js";
import { inRounds, median } from "./rounds.js";
import { limitNetwork, withService } from "./service.js";

/** @typedef {{ options: import("./options.js").Options, browser: import("../../tools/engine.ts").Browser, page: string }} Setting `page`: the folder of the built page */
/** @typedef {import("./rounds.js").Rows} Rows */
/** @typedef {import("./service.js").Service} Service */
/** @typedef {import("./page/main.js").Benchmark} Benchmark */
/** @typedef {{ [Name in keyof Benchmark]: (...parameters: Parameters<Benchmark[Name]>) => Promise<Awaited<ReturnType<Benchmark[Name]>>> }} Calls */
/** @typedef {{ call: Calls, visit: () => Promise<void>, traced: <Value>(work: () => Promise<Value>) => Promise<{ value: Value, work: Record<string, number> }>, heapUsed: () => Promise<number> }} Tab */

/** The findings and partitions of a retrieval, and the milliseconds before each response. */
const usual = { findings: 100_000, partitions: 50, latency: 30, bodies: "sized" };

/** @type {Record<string, (setting: Setting) => Promise<Record<string, Rows>>>} */
export const parts = { retrieval, decoding, queries, start, live, kept, peak, sizes };

/** Every contender, each time in a fresh tab that has warmed up. Times in milliseconds, memory in bytes per finding. @param {Setting} setting */
async function retrieval(setting) {
  const { figures, rounds, network, engine } = setting.options;
  const counted = figures && engine !== "chromium" ? defaults : Object.keys(contenders);
  /** @type {Record<string, Rows>} */
  const tables = {};
  for (const corpus of setting.options.corpora) {
    await serving(setting, { corpus }, async (service) => {
      tables[corpus] = await inRounds(counted, rounds, (name) => retrieveOnce(setting, service, name));
      if (network === 0) return;
      // Such a retrieval takes seconds, most of which are the network's, so that it varies little.
      const [names, times] = figures ? [defaults, 1] : [counted, rounds];
      const measure = (/** @type {string} */ name) => retrieveOnce(setting, service, name, network);
      tables[`${corpus}, ${network} Mbit/s`] = await inRounds(names, times, measure);
    });
  }
  return tables;
}

/**
 * @param {Setting} setting
 * @param {Service} service
 * @param {string} name
 */
async function retrieveOnce(setting, service, name, network = 0) {
  const { findings } = service;
  const measured = await inWarmTab(setting, service, name, async ({ call, traced, heapUsed }) => {
    await limitNetwork(service, network);
    const before = await heapUsed();
    const { value, work } = await traced(() => call.retrieve(name, findings)).finally(() => limitNetwork(service));
    const sizes = { heap: (await heapUsed()) - before, bytes: value.byteLength, module: value.moduleMemory };
    const each = Object.entries(sizes).map(([what, size]) => [`${what} B`, size / findings]);
    return { "wall ms": value.wallTime, ...work, ...Object.fromEntries(each) };
  });
  if (network > 0) return measured;
  // In a separate tab, because the timer that measures them changes the other figures a little.
  return { ...measured, ...(await inWarmTab(setting, service, name, ({ call }) => call.stallsOf(name, findings))) };
}

/** Bodies in memory, of every corpus, each in a page that has decoded no other one. @param {Setting} setting */
function decoding(setting) {
  const { rounds, engine } = setting.options;
  const { findings, partitions } = usual;
  return serving(setting, {}, async (service) => {
    /** @type {Rows} */
    const rows = {};
    for (const corpus of Object.keys(corpora)) {
      const wanted = { corpus, findings, partitions, rounds };
      rows[corpus] = await inTab(setting, service, ({ call }) => call.decode(wanted));
    }
    return { [titles[engine]]: rows };
  });
}

/** What a table of ten retrievals is asked. @param {Setting} setting */
function queries(setting) {
  return serving(setting, {}, async (service) => {
    const wanted = { inspectionKey: 10 * service.findings, rounds: setting.options.rounds };
    return {
      [`${wanted.inspectionKey} findings`]: await inTab(setting, service, ({ call }) => call.queryTable(wanted)),
    };
  });
}

/**
 * The first call of a page, which begins before the import of the package, and the second one. Every call sends a token.
 * @param {Setting} setting
 */
async function start(setting) {
  const { figures, rounds } = setting.options;
  /** @type {Record<string, Rows>} */
  const tables = {};
  for (const size of [
    { findings: 200, partitions: 1 },
    { findings: 10_000, partitions: usual.partitions },
  ].slice(0, figures ? 1 : 2)) {
    await serving(setting, { ...size, token: true }, async (service) => {
      const measure = (/** @type {string} */ name) =>
        inTab(setting, service, async ({ call, traced }) => {
          // With a tab, Chromium opens a window, which keeps a processor busy for half a second; a page of a user's has its window before.
          await setTimeout(1000);
          const { value, work } = await traced(() => call.retrieve(name, size.findings, true));
          const { wallTime } = await call.retrieve(name, size.findings, true);
          return { "first ms": value.wallTime, "its cpu ms": work["cpu ms"], "second ms": wallTime };
        });
      // A first call is short, and so varies more.
      tables[`${size.findings} findings`] = await inRounds(defaults, figures ? 3 * rounds : rounds, measure);
    });
  }
  return tables;
}

/** A table that grows while it loads, with ten questions to each snapshot. @param {Setting} setting */
function live(setting) {
  return serving(setting, {}, async (service) => {
    const { findings } = service;
    const load = (/** @type {boolean} */ isLive) =>
      inTab(setting, service, async ({ call, traced }) => {
        await call.loadCharts(findings / 10, isLive);
        return (await traced(() => call.loadCharts(findings, isLive))).work;
      });
    const measure = async () => {
      const [whileLoading, atEnd] = [await load(true), await load(false)];
      const snapshots = await inTab(setting, service, ({ call }) => call.takeSnapshots(10 * findings, 490));
      return {
        "live ms": whileLoading["main ms"],
        "at end ms": atEnd["main ms"],
        "live cpu ms": whileLoading["cpu ms"],
        "at end cpu ms": atEnd["cpu ms"],
        "snapshot ms": median(snapshots),
      };
    };
    return { "ten charts, and a snapshot of 500 chunks": await inRounds(["charts"], setting.options.rounds, measure) };
  });
}

/** A table that is kept for the next visit: writing it, and opening it in a page that is new. @param {Setting} setting */
async function kept(setting) {
  /** @type {Rows} */
  const rows = {};
  for (const corpus of setting.options.corpora) {
    await serving(setting, { corpus }, async (service) => {
      const { findings } = service;
      const json = await inTab(setting, service, ({ call }) => call.retrieve("bytes only, arrayBuffer()", findings));
      const visitTwice = () =>
        inTab(setting, service, async ({ call, visit }) => {
          const { writing, byteLength } = await call.keepTable(findings, 3);
          await visit();
          const { opening, toFirstChart, requests } = await call.visitAgain(findings, 3);
          const size = { "÷ JSON": byteLength / json.byteLength };
          return { "toBytes ms": writing, "fromBytes ms": opening, "first chart ms": toFirstChart, requests, ...size };
        });
      Object.assign(rows, await inRounds([corpus], setting.options.rounds, visitTwice));
    });
  }
  return { "for the next visit": rows };
}

/**
 * The peak of Chromium's memory during a retrieval of four times the findings: the resident sets of all its processes together, as Linux counts
 * them. In a new browser and without a warm-up, because processes keep memory that they have once used.
 * @param {Setting} setting
 */
async function peak(setting) {
  const { figures, rounds } = setting.options;
  /** @type {Record<string, Rows>} */
  const tables = {};
  for (const corpus of isCounted ? setting.options.corpora : []) {
    await serving(setting, { corpus }, async (service) => {
      tables[`${corpus}, four times the findings`] = await inRounds(defaults, figures ? 1 : rounds, async (name) => {
        const browser = await launchUnobserved();
        try {
          return await inTab({ ...setting, browser }, service, async ({ call }) => {
            const idle = residentMemory();
            let peak = idle;
            const timer = setInterval(() => {
              peak = Math.max(peak, residentMemory());
            }, 10);
            await call.retrieve(name, 4 * service.findings).finally(() => clearInterval(timer));
            return { "idle MB": idle, "peak MB": peak };
          });
        } finally {
          await browser.close();
        }
      });
    });
  }
  return tables;
}

/** Bytes of what a page loads: an entry with its imports and the .wasm file, without peers; and of the worker's script. */
async function sizes() {
  const groups = ["inline", "objects-inline", "testing", "arrow", "view", "react", "keep"].map((name) => [
    `${name}.js`,
    [`${name}.js`],
  ]);
  const all = ["index", "objects"].flatMap((name) => {
    const files = filesFrom(`${name}.js`);
    return [...files.map((file) => [file, [file]]), [`all of ${name}.js`, files]];
  });
  /** @type {Record<string, string[]>} */
  const byRow = Object.fromEntries([...all, ...groups]);
  const rows = Object.entries(byRow).map(([name, files]) => {
    const contents = files.map((file) => readFileSync(join(dist, file)));
    const brotli = contents.reduce((sum, content) => sum + brotliCompressSync(content).length, 0);
    return [name, { raw: [contents.reduce((sum, { length }) => sum + length, 0)], brotli: [brotli] }];
  });
  return { bytes: Object.fromEntries(rows) };
}

/**
 * A file with all files that it imports, directly or not.
 * @param {string} name
 * @returns {string[]}
 */
function filesFrom(name) {
  const code = name.endsWith(".js") ? readFileSync(join(dist, name), "utf8") : "";
  const imports = code.matchAll(/\b(?:from|import)\s*["']\.\/([^"']+)["']/g);
  const urls = code.matchAll(/new URL\(\s*["']\.\/([^"']+)["'],\s*import\.meta\.url/g);
  return [...new Set([name, ...[...imports, ...urls].flatMap(([, imported]) => filesFrom(imported))])];
}

/**
 * @template Result
 * @param {Setting} setting
 * @param {Partial<import("./service.js").Manners>} other than the setting has
 * @param {(service: Service) => Promise<Result>} work
 */
function serving({ page, options }, { corpus = options.corpora[0], ...other }, work) {
  const findings = Math.round(usual.findings * shareOf(corpus));
  return withService({ page, ...usual, corpus, findings, ...other }, work);
}

/**
 * Does some work in a tab that has made a tenth of the retrieval.
 * @template Result
 * @param {Setting} setting
 * @param {Service} service
 * @param {string} name
 * @param {(tab: Tab) => Promise<Result>} work
 */
function inWarmTab(setting, service, name, work) {
  return inTab(setting, service, async (tab) => {
    await tab.call.warmUp(name, service.findings / 10);
    return work(tab);
  });
}

/**
 * Does some work in a fresh page of the benchmark. Other engines than Chromium show neither the main thread nor the heap.
 * @template Result
 * @param {Setting} setting
 * @param {Service} service
 * @param {(tab: Tab) => Promise<Result>} work
 */
async function inTab({ browser }, { url }, work) {
  /** @type {import("../../tools/engine.ts").Page & Partial<import("./chromium.js").Measures>} */
  const page = await browser.newPage();
  const visit = async () => {
    await page.goto(url);
    await page.waitForFunction(() => "benchmark" in globalThis);
  };
  /** @type {any} */
  const call = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (/** @type {unknown[]} */ ...parameters) =>
          page.evaluate(
            ([name, parameters]) => /** @type {any} */ (globalThis).benchmark[name](...parameters),
            /** @type {[string, any[]]} */ ([name, parameters]),
          ),
    },
  );
  /** @type {Tab["traced"]} */
  const traced = async (work) => {
    let all = 0;
    const counted = async () => {
      const before = processorTime();
      const value = await work();
      all = processorTime() - before;
      return value;
    };
    const { value, mainThread } = (await page.traced?.(counted)) ?? { value: await counted(), mainThread: {} };
    return { value, work: { ...mainThread, "all cpu ms": all } };
  };
  try {
    await visit();
    return await work({ call, visit, traced, heapUsed: async () => (await page.heapUsed?.()) ?? Number.NaN });
  } finally {
    await page.close();
  }
}
