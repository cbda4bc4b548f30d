/** The page of the benchmark: the functions that the runner calls, under one global name. */

import { writeArrow } from "./arrow.js";
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
  writeArrow,
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
