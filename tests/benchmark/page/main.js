/** The page of the benchmark: the functions that the runner calls, under one global name. */

import { writeArrow } from "./arrow.js";
import { decode } from "./decoding.js";
import { keepTable, visitAgain } from "./kept.js";
import { askSnapshots, loadLive, loadThenDraw, takeSnapshots } from "./live.js";
import { watchMemories } from "./memories.js";
import { queryTable, readRows } from "./queries.js";
import { retrieve, stallsOf, warmUp } from "./retrieval.js";

watchMemories();

const benchmark = {
  retrieve,
  stallsOf,
  warmUp,
  decode,
  queryTable,
  readRows,
  writeArrow,
  loadLive,
  loadThenDraw,
  askSnapshots,
  takeSnapshots,
  keepTable,
  visitAgain,
};

/** @typedef {typeof benchmark} Benchmark */

Object.assign(globalThis, { benchmark });
