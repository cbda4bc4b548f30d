/** The package's worker, which tells how much it keeps. */

import { addresses } from "./realm.js";

/**
 * Starts a worker from a window. `kept` resolves with the number of requests and bodies that it keeps, and the bytes of its module's memory.
 * @param {Window & typeof globalThis} window
 */
export function startCountedWorker(window) {
  const script = `
    const maps = [];
    const { Map } = globalThis;
    globalThis.Map = class extends Map {
      constructor(...parameters) {
        super(...parameters);
        maps.push(this);
      }
    };
    const { instantiate } = WebAssembly;
    let memory;
    WebAssembly.instantiate = async (...parameters) => {
      const instance = await instantiate(...parameters);
      ({ memory } = instance.exports);
      return instance;
    };
    addEventListener("message", ({ data: [name] }) => {
      if (name !== "count") return;
      const entries = maps.reduce((sum, { size }) => sum + size, 0);
      postMessage(["counted", { maps: maps.length, entries, memory: memory?.buffer.byteLength }]);
    });
    await import("${addresses.worker}");`;
  const worker = new window.Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), {
    type: "module",
  });
  /** @returns {Promise<{ maps: number, entries: number, memory: number }>} */
  const kept = () =>
    new Promise((resolve) => {
      const told = (/** @type {MessageEvent} */ { data: [name, count] }) => {
        if (name !== "counted") return;
        worker.removeEventListener("message", told);
        resolve(count);
      };
      worker.addEventListener("message", told);
      worker.postMessage(["count"]);
    });
  return { worker, kept };
}
