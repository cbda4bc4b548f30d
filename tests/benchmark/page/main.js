/** The page of the benchmark: the functions that the runner calls, under one global name. */

import { decode } from "./decoding.js";
import { askSnapshots, loadLive, loadThenDraw, takeSnapshots } from "./live.js";
import { watchMemories } from "./memories.js";
import { query } from "./queries.js";
import { retrieve, stallsOf, warmUp } from "./retrieval.js";

watchMemories();

const benchmark = {
  hasTable,
  retrieve,
  stallsOf,
  warmUp,
  decode,
  query,
  timeToFirstRequest,
  loadLive,
  loadThenDraw,
  askSnapshots,
  takeSnapshots,
};

/** @typedef {typeof benchmark} Benchmark */

Object.assign(globalThis, { benchmark });

/** Whether this build of the package has tables. */
async function hasTable() {
  const { FindingsClient } = await import("inspection-findings");
  return "loadTable" in FindingsClient.prototype;
}

/** The time from the import of the package to its first request, in milliseconds. */
async function timeToFirstRequest() {
  const begin = performance.now();
  const { getFindings } = await import("inspection-findings");
  return new Promise((resolve, reject) => {
    const fetch = async () => {
      resolve(performance.now() - begin);
      throw new Error("the first request is all that is of interest");
    };
    getFindings(1, "sentiment", { fetch, retries: 0 }).catch(reject);
  });
}
