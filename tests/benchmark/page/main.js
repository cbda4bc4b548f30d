/** The page of the benchmark: the functions that the runner calls, under one global name. */

import { baseline, contenders, threeColumns } from "../contenders.js";
import { makeBodies } from "../corpora.js";
import { median, timeWays } from "../rounds.js";

const token = { Authorization: "Bearer of the benchmark" };

/** Where the bytes of a table are between two visits. */
const place = "kept table";

/** The memories of all WebAssembly modules of the page. @type {WebAssembly.Memory[]} */
const memories = [];

const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (/** @type {any} */ ...parameters) => {
  const made = await /** @type {any} */ (instantiate)(...parameters);
  const { exports } = made.instance ?? made;
  memories.push(.../** @type {any} */ (Object.values(exports).filter((value) => value instanceof WebAssembly.Memory)));
  return made;
};

/** @typedef {(table: any) => unknown} Question */

/** The questions of the charts of a live table. @type {Question[]} */
const questions = [
  ...["Sentiment", "TopicGroup", "ExpressionGroup", "VariableKey"].map((name) => countBy(name)),
  ...["Topic.Text", "TopicGroup"].map((name) => countBy(name, "Sentiment")),
  ...["TopicGroup", "VariableKey"].map((name) => summaryBy(name)),
  (table) => lengthOf(table.filter({ Sentiment: { max: -1 } })),
  (table) => lengthOf(table.filter({ Comment: { contains: "breakfast" } })),
];

const benchmark = {
  /** Retrieves an inspection between two marks of the trace and holds the findings. */
  async retrieve(/** @type {string} */ name, /** @type {number} */ inspectionKey, hasToken = false) {
    const { result, time } = await marked(() => contenders[name](inspectionKey, hasToken ? token : undefined));
    check(name, result.length, inspectionKey);
    // Keeps the result alive while the heap is measured; an unused variable would be optimised away.
    Object.assign(globalThis, { result });
    // Memories never shrink.
    const moduleMemory = memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    return { wallTime: time, byteLength: result.byteLength ?? 0, moduleMemory };
  },

  /** Compiles the code and opens connections. */
  async warmUp(/** @type {string} */ name, /** @type {number} */ inspectionKey) {
    (await contenders[name](inspectionKey)).free?.();
  },

  /** The longest stall of the event loop during a retrieval: how long the page's other tasks have to wait. */
  async stallsOf(/** @type {string} */ name, /** @type {number} */ inspectionKey) {
    await new Promise((resolve) => setTimeout(resolve));
    let longest = 0;
    let before = performance.now();
    const look = () => {
      const now = performance.now();
      longest = Math.max(longest, now - before);
      before = now;
    };
    // The shortest pause that engines keep.
    const timer = setInterval(look, 4);
    await contenders[name](inspectionKey);
    clearInterval(timer);
    look();
    return { "stall ms": longest };
  },

  /** The size of bodies in memory and the decoders' times, round by round. */
  async decode(/** @type {{ corpus: string, findings: number, partitions: number, rounds: number }} */ wanted) {
    const { FindingsClient } = await import("inspection-findings");
    const { bodies, findings } = makeBodies(wanted.corpus, wanted);
    const counts = { SentimentPartitions: bodies.length, SentimentFindings: findings };
    const countsBody = JSON.stringify({ ...counts, TopicPartitions: 0, TopicFindings: 0, errors: null });
    const fetch = async (/** @type {string} */ href) => {
      const index = href.match(/\/Sentiment\/(\d+)$/)?.[1];
      const body = index === undefined ? new TextEncoder().encode(countsBody).buffer : bodies[Number(index)];
      return /** @type {any} */ ({ status: 200, headers: new Headers(), arrayBuffer: async () => body });
    };
    const newClient = () => new FindingsClient({ fetch, worker: false });
    const ways = {
      "parse ms": () => bodies.flatMap((body) => JSON.parse(new TextDecoder().decode(body)).Findings),
      "table ms": () => newClient().loadTable(1, "sentiment"),
      "objects ms": () => newClient().getFindings(1, "sentiment"),
      "three columns ms": () => newClient().loadTable(1, "sentiment", { columns: threeColumns }),
    };
    const times = await timeWays(ways, wanted.rounds, (result, way) => {
      check(way, result.length, findings);
      result.free?.();
    });
    const megabytes = bodies.reduce((sum, { byteLength }) => sum + byteLength, 0) / 1e6;
    return { MB: [megabytes], ...Object.fromEntries(Object.entries(times).map(([way, { ms }]) => [way, ms])) };
  },

  /** The times of questions to a table, beside the usual forms over an array of findings. A way's name begins with its question. */
  async queryTable(/** @type {{ inspectionKey: number, rounds: number }} */ { inspectionKey, rounds }) {
    const findings = /** @type {any[]} */ (/** @type {unknown} */ (await contenders[baseline](inspectionKey)));
    const table = /** @type {any} */ (await contenders.loadTable(inspectionKey));
    const ways = {
      "countBy: a Map by text": () => countByText(findings),
      "countBy: table": () => {
        const groups = table.countBy("TopicGroup", "Sentiment");
        return [groups.length, groups[0].count];
      },
      "filter by text: filter": () =>
        findings.filter(({ Comment }) => Comment.toLowerCase().includes("breakfast")).length,
      "filter by text: table": () => lengthOf(table.filter({ Comment: { contains: "breakfast" } })),
    };
    /** @type {Record<string, string>} */
    const expected = {};
    return timeWays(ways, rounds, (result, way) => {
      const [question] = way.split(":");
      expected[question] ??= JSON.stringify(result);
      check(way, JSON.stringify(result), expected[question]);
    });
  },

  /** Loads a table and writes it as bytes, which the next visit finds. */
  async keepTable(/** @type {number} */ inspectionKey, /** @type {number} */ times) {
    const table = /** @type {any} */ (await contenders.loadTable(inspectionKey));
    const bytes = table.toBytes();
    await (await caches.open(place)).put(place, new Response(bytes));
    return { writing: await timeOf(times, () => table.toBytes()), byteLength: bytes.byteLength };
  },

  /**
   * Shows the first chart from the bytes of the visit before, then asks whether the counts have changed. The import of the package has ended
   * before; opening the first bytes loads its module. Opens them again, for the time without that.
   */
  async visitAgain(/** @type {number} */ inspectionKey, /** @type {number} */ times) {
    const { FindingsClient, FindingsTable } = await import("inspection-findings");
    const response = /** @type {Response} */ (await (await caches.open(place)).match(place));
    const bytes = new Uint8Array(await response.arrayBuffer());
    const begin = performance.now();
    const table = await FindingsTable.fromBytes(bytes);
    table.countBy("TopicGroup", "Sentiment");
    const toFirstChart = performance.now() - begin;
    let requests = 0;
    const counted = (/** @type {Parameters<typeof fetch>} */ ...request) => {
      requests++;
      return fetch(...request);
    };
    const client = new FindingsClient({ fetch: counted });
    const { length } = await client.loadTable(inspectionKey, "sentiment", { from: table });
    check("the kept table", length, inspectionKey);
    return { toFirstChart, requests, opening: await timeOf(times, () => FindingsTable.fromBytes(bytes)) };
  },

  /** Loads an inspection between two marks of the trace, and asks the questions of every snapshot that is shown, or of the whole table. */
  async loadCharts(/** @type {number} */ inspectionKey, /** @type {boolean} */ isLive) {
    const client = await workerClient();
    const draw = (/** @type {any} */ table) => {
      document.body.textContent = JSON.stringify(questions.map((question) => question(table)));
    };
    await marked(async () => {
      if (!isLive) return draw(await client.loadTable(inspectionKey, "sentiment"));
      const live = client.watchTable(inspectionKey, "sentiment");
      live.subscribe(() => draw(live.getSnapshot().table));
      await live.done;
      await new Promise(requestAnimationFrame);
      check("the live table", live.getSnapshot().table.length, inspectionKey);
    });
  },

  /** The times to take a snapshot in milliseconds, from this number of partitions on. */
  async takeSnapshots(/** @type {number} */ inspectionKey, /** @type {number} */ from) {
    /** @type {number[]} */
    const times = [];
    const live = (await workerClient()).watchTable(inspectionKey, "sentiment", {
      onProgress({ partitionsDone }) {
        if (partitionsDone < from) return;
        const begin = performance.now();
        live.getSnapshot();
        times.push(performance.now() - begin);
      },
    });
    await live.done;
    return times;
  },
};

/** @typedef {typeof benchmark} Benchmark */

Object.assign(globalThis, { benchmark });

async function workerClient() {
  const { FindingsClient } = await import("inspection-findings");
  return new FindingsClient({ worker: true });
}

/**
 * Does work between two marks of the trace. Begins a new task, because the current one belongs to the runner.
 * @template Result
 * @param {() => Promise<Result>} work
 */
async function marked(work) {
  await new Promise((resolve) => setTimeout(resolve));
  performance.mark("begin");
  const result = await work();
  performance.mark("end");
  return { result, time: performance.measure("work", "begin", "end").duration };
}

/**
 * The median of the times of some work, in milliseconds, after a first one that compiles the code.
 * @param {number} times
 * @param {() => unknown} work
 */
async function timeOf(times, work) {
  const { it } = await timeWays({ it: work }, times, () => {});
  return median(it.ms);
}

/**
 * @param {string} what
 * @param {unknown} is
 * @param {unknown} expected
 */
function check(what, is, expected) {
  if (is !== expected) throw new Error(`${what} is ${is} and not ${expected}`);
}

/** @param {string[]} names @returns {Question} */
function countBy(...names) {
  return (table) => table.countBy(...names);
}

/** @param {string} name @returns {Question} */
function summaryBy(name) {
  return (table) => table.summarize([name], "Sentiment");
}

/** The length of a view, which is freed. @param {any} view */
function lengthOf(view) {
  const { length } = view;
  view.free();
  return length;
}

/** @param {any[]} findings */
function countByText(findings) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { TopicGroup, Sentiment } of findings) {
    const key = `${TopicGroup}|${Sentiment}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [counts.size, Math.max(...counts.values())];
}
