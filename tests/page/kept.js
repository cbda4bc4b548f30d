/** What the package keeps: the entries of its maps, and the memory of its module; in a page or in a worker. */

import { addresses } from "./realm.js";

/** @typedef {{ entries: number, memory: number, fetches: number }} Kept the number of requests counts all that were sent */

/**
 * Watches a realm that has not loaded the package. Its text also runs in a worker, so it uses nothing else of this file.
 * @param {any} realm
 * @returns {() => Kept}
 */
export function watchKept(realm) {
  /** @type {WeakRef<Map<unknown, unknown>>[]} */
  const maps = [];
  realm.Map = class extends realm.Map {
    constructor(/** @type {unknown[]} */ ...parameters) {
      super(...parameters);
      maps.push(new WeakRef(/** @type {any} */ (this)));
    }
  };
  const { instantiate } = realm.WebAssembly;
  /** @type {WebAssembly.Memory | undefined} */
  let memory;
  realm.WebAssembly.instantiate = async (/** @type {unknown[]} */ ...parameters) => {
    const instance = await instantiate(...parameters);
    memory = instance.exports.memory;
    return instance;
  };
  let fetches = 0;
  // Rust recognizes the own `fetch` of a page by its source, so only that of a worker is watched.
  if (!("document" in realm)) {
    const { fetch } = realm;
    realm.fetch = (/** @type {unknown[]} */ ...parameters) => {
      fetches += 1;
      return fetch(...parameters);
    };
  }
  return () => ({
    entries: maps.reduce((sum, map) => sum + (map.deref()?.size ?? 0), 0),
    memory: memory?.buffer.byteLength ?? 0,
    fetches,
  });
}

/**
 * Starts the package's worker from a window, and watches what it keeps.
 * @param {Window & typeof globalThis} window
 * @param {string} [code] runs before the package's script
 */
export function startWatchedWorker(window, code = "") {
  const script = `
    ${code};
    const kept = (${watchKept})(globalThis);
    addEventListener("message", ({ data: { kind }, ports: [port] }) => kind === "tell" && port.postMessage(kept()));
    await import("${addresses.worker}");`;
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new window.Worker(url, { type: "module" });
  /** @returns {Promise<Kept>} */
  const kept = () => {
    const { promise, resolve } = Promise.withResolvers();
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    worker.postMessage({ kind: "tell" }, [port2]);
    return promise;
  };
  return { worker, kept };
}
