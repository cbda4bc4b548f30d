/** The page of the benchmark: the functions that the runner calls, under one global name. */

import { decode } from "./decoding.js";
import { keepTable, visitAgain } from "./kept.js";
import { askOnce, askSnapshots, loadLive, loadThenDraw, takeSnapshots } from "./live.js";
import { watchMemories } from "./memories.js";
import { retrieve, stallsOf, warmUp } from "./retrieval.js";
import { queryTable, writeArrow } from "./tables.js";

watchMemories();

const inMemory = { decode, queryTable, writeArrow };
const inLife = { askOnce, askSnapshots, loadLive, loadThenDraw, takeSnapshots };
const benchmark = { retrieve, stallsOf, warmUp, keepTable, visitAgain, ...inMemory, ...inLife };

/** @typedef {typeof benchmark} Benchmark */

Object.assign(globalThis, { benchmark });
