/** A retrieval, measured inside the page. */

import { contenders } from "./contenders.js";
import { marked } from "./marks.js";
import { memorySize } from "./memories.js";

/** @typedef {import("../contenders.js").ContenderName} ContenderName */

/** The pause between two turns of the timer that measures stalls, in milliseconds: the shortest that engines keep. */
const pause = 4;

/**
 * Retrieves an inspection between two marks of the trace and holds the findings.
 * @param {ContenderName} name
 * @param {number} inspectionKey
 * @param {import("./contenders.js").Options} [options]
 */
export async function retrieve(name, inspectionKey, options) {
  const { result, time } = await marked(() => contenders[name](inspectionKey, options));
  if (result.length !== inspectionKey) {
    throw new Error(`${name} gave ${result.length} findings and not ${inspectionKey}`);
  }
  // Keeps the result alive while the heap is measured; an unused variable would be optimised away.
  Object.assign(globalThis, { result });
  return { wallTime: time, byteLength: result.byteLength ?? 0, moduleMemory: memorySize() };
}

/**
 * Retrieves an inspection and measures the longest stall of the event loop: how long the page's other tasks have to wait.
 * @param {ContenderName} name
 * @param {number} inspectionKey
 */
export async function stallsOf(name, inspectionKey) {
  await new Promise((resolve) => setTimeout(resolve));
  let longest = 0;
  let before = performance.now();
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, pause);
  await contenders[name](inspectionKey);
  clearInterval(timer);
  look();
  return { "stall ms": longest };
}

/**
 * A warm-up: compiles the code and opens connections.
 * @param {ContenderName} name
 * @param {number} inspectionKey
 */
export async function warmUp(name, inspectionKey) {
  const result = await contenders[name](inspectionKey);
  if ("free" in result && typeof result.free === "function") result.free();
}
