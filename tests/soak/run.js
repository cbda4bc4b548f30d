/** The soak test: retrievals with random faults and aborts in one page, by the page and by a worker, after which no resource is left. */

import process from "node:process";
import { chromium } from "playwright-core";
import { build } from "vite";
import { launchOptions } from "../../tools/browser.js";
import { Failure, log, script } from "../../tools/command.js";
import { inRepository } from "../../tools/repository.js";
import { median } from "../benchmark/statistics.js";
import { serveFolder } from "../package/static-server.js";

/** @typedef {import("./page/main.js").Soak} Soak */
/** @typedef {import("playwright-core").Page} Page */

/**
 * The resources without a pending retrieval, after a garbage collection.
 * @typedef {Awaited<ReturnType<Soak["held"]>> & { heap: number, retrievals: number }} Held
 */

/**
 * What has been seen: the resources, at first before any random retrieval; the number of retrievals with each outcome; and outcomes that are not
 * allowed, and errors of the page.
 * @typedef {{ looks: Held[], outcomes: Record<string, number>, wrong: string[] }} Seen
 */

/** The number of retrievals between two readings of the resources. */
const round = 25;

/** The number of retrievals without a duration, in each mode. */
const enough = 500;

/** Workers die during the first retrievals of each cycle only, so that the one that is left then lives long enough to show a leak. */
const cycle = 500;
const deadly = 50;

/** Where bodies are decoded. */
const modes = ["page", "worker"];

/** The tolerance of the JavaScript heap, for compiled code and caches. */
const heapTolerance = 500_000;

/** The tolerance of a worker's memory: each worker makes other retrievals, of which up to eight at a time, when it holds the most. */
const workerTolerance = 1024 * 1024;

/** The least share of retrievals with the expected result. The others are aborted, freed or faulty at random. */
const leastCorrect = 1 / 4;

const help = `npm run test:soak                 a thousand calls
npm run test:soak -- MINUTES      as many as take so long
SEED=S npm run test:soak …        makes the random choices of an earlier run again`;

await script(async () => {
  const [minutes] = process.argv.slice(2).map(Number);
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
  if (!(minutes === undefined || minutes > 0) || !Number.isInteger(seed)) {
    throw new Failure(`The minutes or the seed are no number.\n${help}`);
  }
  if (!(await runSoak({ minutes, seed }))) process.exitCode = 1;
}, help);

/**
 * Runs the soak test: one check for each promise. Resolves with whether all are kept.
 * @param {{ minutes?: number, seed: number }} options the duration, and the seed of all random choices
 */
async function runSoak({ minutes, seed }) {
  log(`The seed is ${seed}.`);
  const folder = inRepository("target", "soak", "page");
  await build({
    root: inRepository("tests", "soak", "page"),
    configFile: false,
    logLevel: "error",
    base: "./",
    build: { outDir: folder, emptyOutDir: true, target: "esnext", modulePreload: false },
    worker: { format: "es" },
  });
  const server = await serveFolder(folder);
  const { executablePath, args } = launchOptions();
  const browser = await chromium.launch({ executablePath, args: [...args, "--js-flags=--expose-gc"] });
  try {
    let isSound = true;
    for (const mode of modes) {
      const page = await browser.newPage();
      const seen = await soak(page, `${server.url}?${mode}`, seed, minutes && minutes / modes.length);
      await page.close();
      log(`\nDecoding in the ${mode}:`);
      isSound = report(seen) && isSound;
    }
    if (!isSound)
      log(`\nTo make the same choices again: SEED=${seed} npm run test:soak${minutes ? ` -- ${minutes}` : ""}`);
    return isSound;
  } finally {
    await browser.close();
    await server.close();
  }
}

/**
 * Makes retrievals for a number of minutes, or the number of a test.
 * @param {Page} page
 * @param {string} url
 * @param {number} seed
 * @param {number} [minutes]
 */
async function soak(page, url, seed, minutes) {
  /** @type {Seen} */
  const seen = { looks: [], outcomes: {}, wrong: [] };
  page.on("pageerror", (error) => seen.wrong.push(`not handled: ${error}`));
  page.on("console", (message) => seen.wrong.push(`on the console: ${message.text()}`));
  const session = await page.context().newCDPSession(page);
  await page.goto(url);
  await page.waitForFunction(() => "soak" in globalThis);

  const ends = Date.now() + (minutes ?? 0) * 60_000;
  let said = Date.now();
  let retrievals = 0;
  await call("retrieveMost");
  await look();
  while (minutes === undefined ? retrievals < enough : Date.now() < ends) {
    const isDeadly = retrievals % cycle < deadly;
    const { outcomes, wrong } = await call("retrieveSome", seed, retrievals, round, isDeadly);
    // The memory of a worker can be compared with that of another one after this.
    if (isDeadly) await call("retrieveMost");
    retrievals += round;
    for (const [name, count] of Object.entries(outcomes)) seen.outcomes[name] = (seen.outcomes[name] ?? 0) + count;
    seen.wrong.push(...wrong);
    const held = await look();
    if (Date.now() - said > 60_000) {
      said = Date.now();
      log(describe(held));
    }
  }
  return seen;

  async function look() {
    // Finalisers run between the first collections, and release more objects.
    for (let time = 0; time < 3; time++) {
      await session.send("HeapProfiler.collectGarbage");
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
    }
    const held = await call("held");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    seen.looks.push({ ...held, heap: usedSize, retrievals });
    return seen.looks[seen.looks.length - 1];
  }

  /**
   * Calls a function of the page.
   * @template {keyof Soak} Name
   * @param {Name} name
   * @param {Parameters<Soak[Name]>} parameters
   * @returns {Promise<Awaited<ReturnType<Soak[Name]>>>}
   */
  function call(name, ...parameters) {
    return page.evaluate(
      ([name, parameters]) => /** @type {any} */ (globalThis).soak[name](...parameters),
      /** @type {const} */ ([name, parameters]),
    );
  }
}

/**
 * Prints what has been seen, and returns whether all promises are kept.
 * @param {Seen} seen
 */
function report(seen) {
  const { looks, outcomes, wrong } = seen;
  const sorted = Object.entries(outcomes).sort(([, one], [, other]) => other - one);
  const checks = [...checksOf(seen), ...checksOfWorkers(looks)];
  log(
    [
      "",
      ...sorted.map(([name, count]) => `${String(count).padStart(8)}  ${name}`),
      "",
      ...[looks[0], looks[looks.length >> 1], looks[looks.length - 1]].map(describe),
      "",
      ...checks.map(([promise, isKept]) => `${isKept ? "✓" : "✗"} ${promise}`),
      ...wrong.slice(0, 20).map((line) => `  ${line}`),
    ].join("\n"),
  );
  return checks.every(([, isKept]) => isKept);
}

/**
 * The promises, and whether they hold.
 * @param {Seen} seen
 * @returns {[promise: string, isKept: boolean][]}
 */
function checksOf({ looks, outcomes, wrong }) {
  const [first, middle, last] = [looks[0], looks[looks.length >> 1], looks[looks.length - 1]];
  // By then all code is compiled, and later growth is a leak.
  const [early, late] = [looks.slice(looks.length >> 2, looks.length >> 1), looks.slice(-(looks.length >> 2))];
  const heapGrowth = median(late.map(({ heap }) => heap)) - median(early.map(({ heap }) => heap));
  const correct = outcomes["the correct result"] ?? 0;
  const sawSome = last.timersSeen > 0 && last.objects > 0 && last.memory > 0;
  const isNeverLeft = (/** @type {"listeners" | "requests" | "timers"} */ name) =>
    looks.every((look) => look[name] === 0);
  return [
    ["every retrieval came to the correct result or to an error that it may come to", wrong.length === 0],
    ["at least a quarter of the retrievals came to the correct result", correct >= leastCorrect * last.retrievals],
    ["the watch saw the module's timers, objects and memory", sawSome],
    ["no listeners were left after any round", isNeverLeft("listeners")],
    ["no requests were left after any round", isNeverLeft("requests")],
    ["no timers were left after any round", isNeverLeft("timers")],
    ["as many objects of the module are alive as at first", last.objects === first.objects],
    [`the heap does not grow from the second quarter to the last (by ${mebi(heapGrowth)})`, heapGrowth < heapTolerance],
    [`the module's memory did not grow in the second half (${mebi(last.memory)})`, last.memory === middle.memory],
  ];
}

/**
 * The promises about workers, if there are some.
 * @param {Held[]} looks
 * @returns {[promise: string, isKept: boolean][]}
 */
function checksOfWorkers(looks) {
  const workers = looks.flatMap(({ worker }) => worker ?? []);
  if (workers.length === 0) return [];
  const [first, { deaths, started }] = [workers[0], workers[workers.length - 1]];
  const memories = workers.map(({ memory }) => memory);
  const most = Math.max(...memories);
  const isBounded = Math.min(...memories) > 0 && most < first.memory + workerTolerance;
  return [
    [`a worker that died was replaced (${deaths} of ${started} workers died)`, deaths > 0 && started === deaths + 1],
    ["the page looks at one worker", looks.every(({ intervals }) => intervals === 1)],
    ["no timer was pending in a worker", workers.every(({ timers }) => timers === 0)],
    [`no body fills a worker's memory (at most ${mebi(most)})`, isBounded],
  ];
}

/** @param {number} bytes */
function mebi(bytes) {
  return `${(bytes / 2 ** 20).toFixed(2)} MiB`;
}

/** @param {Held} held */
function describe({ retrievals, heap, memory, listeners, requests, timers, objects, worker }) {
  return [
    `after ${retrievals} retrievals: heap ${mebi(heap)}, module memory ${mebi(memory)}`,
    `${listeners} listeners, ${requests} requests, ${timers} timers, ${objects} objects`,
    ...(worker === undefined ? [] : [`memory of worker ${worker.started} ${mebi(worker.memory)}`]),
  ].join(", ");
}
