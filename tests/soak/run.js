/** The soak test: retrievals with random faults and aborts in one page, by the page and by a worker, after which no resource is left. */

import { chromium } from "playwright-core";
import { build } from "vite";
import { launchOptions } from "../../tools/browser.js";
import { log } from "../../tools/command.js";
import { inRepository } from "../../tools/repository.js";
import { serveFolder } from "../package/static-server.js";

/** @typedef {import("./page/main.js").Soak} Soak */
/** @typedef {import("playwright-core").Page} Page */

/**
 * The resources without a pending retrieval, after a garbage collection.
 * @typedef {Awaited<ReturnType<Soak["held"]>> & { heap: number, retrievals: number }} Held
 */

/** @typedef {"page" | "worker"} Mode where bodies are decoded */

/** The number of retrievals between two readings of the resources. */
const round = 25;

/** The number of retrievals without a duration, in both modes together. */
const enough = 1000;

/**
 * Workers die during the first retrievals of each cycle only, so that the one that is left then lives long enough to show a leak.
 */
const cycle = 500;
const deadly = 50;

/** @type {readonly Mode[]} */
const modes = ["page", "worker"];

/** The tolerance of the JavaScript heap, for compiled code and caches. */
const heapTolerance = 500_000;

/** The tolerance of a worker's memory: each worker makes other retrievals, of which up to eight at a time, when it holds the most. */
const workerTolerance = 1024 * 1024;

/** The least share of retrievals with the expected result. The others are aborted, freed or faulty at random. */
const leastCorrect = 1 / 4;

/**
 * Runs the soak test: one check for each promise. Resolves with whether all are kept.
 * @param {{ minutes?: number, seed: number }} options the duration, and the seed of all random choices
 */
export async function runSoak({ minutes, seed }) {
  log(`The seed is ${seed}.`);
  const page = await buildPage();
  const server = await serveFolder(page);
  const { executablePath, args } = launchOptions();
  const browser = await chromium.launch({ executablePath, args: [...args, "--js-flags=--expose-gc"] });
  try {
    let failed = 0;
    for (const mode of modes) {
      const page = await browser.newPage();
      const soak = new Soaking(page, seed);
      await soak.open(`${server.url}?${mode}`);
      await soak.goOn(minutes && minutes / modes.length);
      await page.close();
      log(`\nDecoding in the ${mode}:`);
      failed += report(soak);
    }
    if (failed > 0) {
      log(`\nTo make the same choices again: SEED=${seed} npm run soak${minutes ? ` -- ${minutes}` : ""}`);
    }
    return failed === 0;
  } finally {
    await browser.close();
    await server.close();
  }
}

class Soaking {
  #page;
  #seed;
  /** @type {import("playwright-core").CDPSession | undefined} */
  #session;
  #retrievals = 0;

  /** @type {Held[]} the first one before any random retrieval */
  looks = [];

  /** @type {Record<string, number>} the number of retrievals with each outcome */
  outcomes = {};

  /** @type {string[]} outcomes that are not allowed, and errors of the page */
  wrong = [];

  /**
   * @param {Page} page
   * @param {number} seed
   */
  constructor(page, seed) {
    this.#page = page;
    this.#seed = seed;
  }

  /** @param {string} url */
  async open(url) {
    this.#page.on("pageerror", (error) => this.wrong.push(`not handled: ${error}`));
    this.#page.on("console", (message) => this.wrong.push(`on the console: ${message.text()}`));
    this.#session = await this.#page.context().newCDPSession(this.#page);
    await this.#page.goto(url);
    await this.#page.waitForFunction(() => "soak" in globalThis);
  }

  /**
   * Makes retrievals for a number of minutes, or the number of a test.
   * @param {number} [minutes]
   */
  async goOn(minutes) {
    const ends = Date.now() + (minutes ?? 0) * 60_000;
    let said = Date.now();
    await this.#call("retrieveMost");
    await this.#look();
    while (minutes === undefined ? this.#retrievals < enough / modes.length : Date.now() < ends) {
      const isDeadly = this.#retrievals % cycle < deadly;
      const { outcomes, wrong } = await this.#call("retrieveSome", this.#seed, this.#retrievals, round, isDeadly);
      // The memory of a worker can be compared with that of another one after this.
      if (isDeadly) await this.#call("retrieveMost");
      this.#retrievals += round;
      this.#note(outcomes, wrong);
      await this.#look();
      if (Date.now() - said > 60_000) {
        said = Date.now();
        log(describe(/** @type {Held} */ (this.looks.at(-1))));
      }
    }
  }

  /**
   * @param {Record<string, number>} outcomes
   * @param {string[]} wrong
   */
  #note(outcomes, wrong) {
    for (const [name, count] of Object.entries(outcomes)) {
      this.outcomes[name] = (this.outcomes[name] ?? 0) + count;
    }
    this.wrong.push(...wrong);
  }

  async #look() {
    const session = /** @type {import("playwright-core").CDPSession} */ (this.#session);
    // Finalisers run between the first collections, and release more objects.
    for (let time = 0; time < 3; time++) {
      await session.send("HeapProfiler.collectGarbage");
      await this.#page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
    }
    const held = await this.#call("held");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    this.looks.push({ ...held, heap: usedSize, retrievals: this.#retrievals });
  }

  /**
   * Calls a function of the page.
   * @template {keyof Soak} Name
   * @param {Name} name
   * @param {Parameters<Soak[Name]>} parameters
   * @returns {Promise<Awaited<ReturnType<Soak[Name]>>>}
   */
  #call(name, ...parameters) {
    return this.#page.evaluate(
      ([name, parameters]) => /** @type {any} */ (globalThis).soak[name](...parameters),
      /** @type {const} */ ([name, parameters]),
    );
  }
}

/**
 * Prints what has been seen, and returns the number of promises that are broken.
 * @param {Soaking} soak
 */
function report({ looks, outcomes, wrong }) {
  const checks = checksOf(looks, outcomes, wrong);
  log("");
  for (const [name, count] of Object.entries(outcomes).sort(([, one], [, other]) => other - one)) {
    log(`${String(count).padStart(8)}  ${name}`);
  }
  log("");
  for (const look of [looks[0], looks[looks.length >> 1], looks[looks.length - 1]]) {
    log(describe(look));
  }
  log("");
  for (const { name, isKept } of checks) {
    log(`${isKept ? "✓" : "✗"} ${name}`);
  }
  for (const line of wrong.slice(0, 20)) {
    log(`  ${line}`);
  }
  return checks.filter(({ isKept }) => !isKept).length;
}

/**
 * The promises, and whether they hold.
 * @param {Held[]} looks
 * @param {Record<string, number>} outcomes
 * @param {string[]} wrong
 */
function checksOf(looks, outcomes, wrong) {
  const [first, last] = [looks[0], looks[looks.length - 1]];
  // By then all code is compiled, and later growth is a leak.
  const [early, late] = [looks.slice(looks.length >> 2, looks.length >> 1), looks.slice(-(looks.length >> 2))];
  const heapGrowth = median(late.map(({ heap }) => heap)) - median(early.map(({ heap }) => heap));
  const middle = looks[looks.length >> 1];
  return [
    check("every retrieval came to the correct result or to an error that it may come to", wrong.length === 0),
    check(
      "at least a quarter of the retrievals came to the correct result",
      (outcomes["the correct result"] ?? 0) >= leastCorrect * last.retrievals,
    ),
    check(
      "the watch saw the module's timers, objects and memory",
      last.timersSeen > 0 && last.objects > 0 && last.memory > 0,
    ),
    .../** @type {const} */ (["listeners", "requests", "timers"]).map((name) =>
      check(
        `no ${name} were left after any round`,
        looks.every((look) => look[name] === 0),
      ),
    ),
    check("as many objects of the module are alive as at first", last.objects === first.objects),
    check(
      `the heap does not grow from the second quarter to the last (by ${mebi(heapGrowth)})`,
      heapGrowth < heapTolerance,
    ),
    check(`the module's memory did not grow in the second half (${mebi(last.memory)})`, last.memory === middle.memory),
    ...checksOfWorkers(looks),
  ];
}

/**
 * The promises about workers, if there are some.
 * @param {Held[]} looks
 */
function checksOfWorkers(looks) {
  const workers = looks.flatMap(({ worker }) => worker ?? []);
  if (workers.length === 0) return [];
  const [first, last] = [workers[0], workers[workers.length - 1]];
  const most = Math.max(...workers.map(({ memory }) => memory));
  return [
    check(
      `a worker that died was replaced (${last.deaths} of ${last.started} workers died)`,
      last.deaths > 0 && last.started === last.deaths + 1,
    ),
    check(
      "the page looks at one worker",
      looks.every(({ intervals }) => intervals === 1),
    ),
    check(
      "no timer was pending in a worker",
      workers.every(({ timers }) => timers === 0),
    ),
    check(
      `no body fills a worker's memory (at most ${mebi(most)})`,
      workers.every(({ memory }) => memory > 0) && most < first.memory + workerTolerance,
    ),
  ];
}

/**
 * @param {string} name the promise
 * @param {boolean} isKept
 */
function check(name, isKept) {
  return { name, isKept };
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

/** @param {number[]} numbers */
function median(numbers) {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[sorted.length >> 1];
}

/** Builds the page, and returns its folder. */
async function buildPage() {
  const folder = inRepository("target", "soak", "page");
  await build({
    root: inRepository("tests", "soak", "page"),
    configFile: false,
    logLevel: "error",
    base: "./",
    build: { outDir: folder, emptyOutDir: true, target: "esnext", modulePreload: false },
    worker: { format: "es" },
  });
  return folder;
}
