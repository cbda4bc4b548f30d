/** The page of the benchmark: the functions that the runner calls, under one global name. */

import { tableFromIPC, tableFromJSON, tableToIPC } from "apache-arrow";
import { toArrowIPC } from "inspection-findings/arrow";
import { baseline, contenders, threeColumns } from "../contenders.js";
import { makeBodies } from "../corpora.js";
import { timeWays } from "../rounds.js";
import { loadCharts, takeSnapshots } from "./live.js";
import { marked } from "./marks.js";

/** @typedef {{ inspectionKey: number, rounds: number }} Wanted */

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

const benchmark = {
  /** Retrieves an inspection between two marks of the trace and holds the findings. */
  async retrieve(/** @type {string} */ name, /** @type {number} */ inspectionKey, hasToken = false) {
    const { result, time } = await marked(() => contenders[name](inspectionKey, hasToken ? token : undefined));
    if (result.length !== inspectionKey)
      throw new Error(`${name} gave ${result.length} findings and not ${inspectionKey}`);
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
    const countsBody = new TextEncoder().encode(
      JSON.stringify({ ...counts, TopicPartitions: 0, TopicFindings: 0, errors: null }),
    );
    const fetch = async (/** @type {string} */ href) => {
      const index = href.match(/\/Sentiment\/(\d+)$/)?.[1];
      const body = index === undefined ? countsBody.buffer : bodies[Number(index)];
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
      if (result.length !== findings) throw new Error(`${way}: ${result.length} findings and not ${findings}`);
      result.free?.();
    });
    const megabytes = bodies.reduce((sum, { byteLength }) => sum + byteLength, 0) / 1e6;
    return { MB: [megabytes], ...Object.fromEntries(Object.entries(times).map(([way, { ms }]) => [way, ms])) };
  },

  /** The times of questions to a table, beside the usual forms over an array of findings. A way's name begins with its question. */
  async queryTable(/** @type {Wanted} */ { inspectionKey, rounds }) {
    const findings = /** @type {any[]} */ (/** @type {unknown} */ (await contenders[baseline](inspectionKey)));
    const table = /** @type {any} */ (await contenders.loadTable(inspectionKey));
    const lengthOf = withView((view) => view.length);
    const firstOf = withView((view) => view.at(0).StringKey);
    const isMore = (/** @type {any} */ { RespondentId: one }, /** @type {any} */ { RespondentId: other }) =>
      one < other ? -1 : Number(one > other);
    const ways = {
      "countBy: a Map by text": () => countByText(findings),
      "countBy: table": () => {
        const groups = table.countBy("TopicGroup", "Sentiment");
        return [groups.length, groups[0].count];
      },
      "filter by number: filter": () => findings.filter(({ Sentiment }) => Sentiment <= -1).length,
      "filter by number: table": () => lengthOf(table.filter({ Sentiment: { max: -1 } })),
      "filter by text: filter": () =>
        findings.filter(({ Comment }) => Comment.toLowerCase().includes("breakfast")).length,
      "filter by text: table": () => lengthOf(table.filter({ Comment: { contains: "breakfast" } })),
      "sortBy number: toSorted": () => findings.toSorted((one, other) => one.Sentiment - other.Sentiment)[0].StringKey,
      "sortBy number: table": () => firstOf(table.sortBy("Sentiment")),
      "sortBy text: toSorted": () => findings.toSorted(isMore)[0].StringKey,
      "sortBy text: table": () => firstOf(table.sortBy("RespondentId")),
    };
    /** @type {Record<string, string>} */
    const expected = {};
    return timeWays(ways, rounds, (result, way) => {
      const [question] = way.split(":");
      const essence = JSON.stringify(result);
      expected[question] ??= essence;
      if (expected[question] !== essence) throw new Error(`${way} is ${essence} and not ${expected[question]}`);
    });
  },

  /** The times of Arrow streams: from the columns of a table, and from plain objects by apache-arrow. */
  async writeArrow(/** @type {Wanted} */ { inspectionKey, rounds }) {
    const table = /** @type {any} */ (await contenders.loadTable(inspectionKey));
    const findings = table.toArray();
    const ways = {
      "toArrowIPC: table": () => toArrowIPC(table),
      "apache-arrow: objects": () => tableToIPC(tableFromJSON(findings), "stream"),
    };
    return timeWays(ways, rounds, (stream, way) => {
      if (tableFromIPC(stream).numRows !== findings.length) throw new Error(`the stream of ${way} lacks findings`);
    });
  },

  /** Loads a table and writes it as bytes, which the next visit finds. The last writing counts, so that the code is compiled. */
  async keepTable(/** @type {number} */ inspectionKey, /** @type {number} */ times) {
    const table = /** @type {any} */ (await contenders.loadTable(inspectionKey));
    const { bytes, ms } = await lastOf(times, async () => ({ bytes: table.toBytes() }));
    await (await caches.open(place)).put(place, new Response(bytes));
    return { writing: ms, byteLength: bytes.byteLength };
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
    const { length } = await new FindingsClient({ fetch: counted }).loadTable(inspectionKey, "sentiment", {
      from: table,
    });
    if (length !== inspectionKey) throw new Error(`the table has ${length} findings and not ${inspectionKey}`);
    const { ms } = await lastOf(times, async () => ({ opened: await FindingsTable.fromBytes(bytes) }));
    return { toFirstChart, requests, opening: ms };
  },

  loadCharts,
  takeSnapshots,
};

/** @typedef {typeof benchmark} Benchmark */

Object.assign(globalThis, { benchmark });

/**
 * Does some work several times, and resolves with the last result and its time.
 * @template Result
 * @param {number} times
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result & { ms: number }>}
 */
async function lastOf(times, work) {
  globalThis.gc?.();
  const begin = performance.now();
  const result = await work();
  const ms = performance.now() - begin;
  return times > 1 ? lastOf(times - 1, work) : { ...result, ms };
}

/** @param {(view: any) => unknown} question to a view, which is freed */
function withView(question) {
  return (/** @type {any} */ view) => {
    const answer = question(view);
    view.free();
    return answer;
  };
}

/** @param {any[]} findings */
function countByText(findings) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { TopicGroup, Sentiment } of findings) {
    const key = `${TopicGroup}|${Sentiment}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return [sorted.length, sorted[0][1]];
}
