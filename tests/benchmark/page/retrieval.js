/** A retrieval, measured inside the page. */

import { contenders } from "./contenders.js";
import { memorySize } from "./memories.js";
import { stallsDuring } from "./stalls.js";

/** @typedef {import("../contenders.js").ContenderName} ContenderName */

/**
 * Retrieves an inspection between two marks of the trace and holds the findings.
 * @param {ContenderName} name
 * @param {number} inspectionKey
 * @param {import("./contenders.js").Options} [options]
 */
export async function retrieve(name, inspectionKey, options) {
  // A new task, because the current one belongs to the runner.
  await new Promise((resolve) => setTimeout(resolve));
  performance.mark("begin");
  const result = await contenders[name](inspectionKey, options);
  performance.mark("end");
  const { duration } = performance.measure("retrieval", "begin", "end");
  if (result.length !== inspectionKey) {
    throw new Error(`${name} gave ${result.length} findings and not ${inspectionKey}`);
  }
  // Keeps the result alive while the heap is measured; an unused variable would be optimised away.
  Object.assign(globalThis, { result });
  return {
    wallTime: duration,
    byteLength: result.byteLength ?? 0,
    moduleMemory: memorySize(),
  };
}

/**
 * Retrieves an inspection and measures how long the page's other tasks have to wait. The timer that measures it takes a little time itself, so that
 * nothing else is measured here.
 * @param {ContenderName} name
 * @param {number} inspectionKey
 */
export async function stallsOf(name, inspectionKey) {
  await new Promise((resolve) => setTimeout(resolve));
  return stallsDuring(() => contenders[name](inspectionKey));
}

/**
 * A warm-up: compiles the code and opens connections.
 * @param {ContenderName} name
 * @param {number} inspectionKey
 */
export async function warmUp(name, inspectionKey) {
  const result = await contenders[name](inspectionKey);
  if ("free" in result && typeof result.free === "function") {
    result.free();
  }
}
