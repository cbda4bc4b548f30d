/** A realm: a new window without the package. */

import { afterEach } from "vitest";
import { watch } from "./trouble.js";

/** Where the page's host has the package as it is shipped: a realm knows it by no other name. */
export const addresses = {
  entry: `${location.origin}/package/index.js`,
  manual: `${location.origin}/package/manual.js`,
  worker: `${location.origin}/package/worker.js`,
  wasm: `${location.origin}/package/inspection_findings_bg.wasm`,
};

/**
 * @typedef {typeof import("inspection-findings")} Package
 * @typedef {typeof import("inspection-findings/manual")} ManualPackage
 * @typedef {Window & typeof globalThis & { load(address: string): Promise<any> }} RealmWindow
 */

/** @type {Set<HTMLIFrameElement>} */
const frames = new Set();

afterEach(closeRealms);

/** Opens a realm, under a content security policy where one is given. @param {string} [policy] */
export async function openRealm(policy) {
  const meta = policy === undefined ? "" : `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  const frame = document.createElement("iframe");
  frame.srcdoc = `<!doctype html>${meta}<script>globalThis.load = (address) => import(address);</script>`;
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  document.body.append(frame);
  frames.add(frame);
  await loaded;
  const window = /** @type {RealmWindow} */ (frame.contentWindow);
  watch(window);
  return window;
}

/** Imports the package into a separate realm. @param {string} [policy] */
export async function importInRealm(policy) {
  const window = await openRealm(policy);
  return { window, package: /** @type {Package} */ (await window.load(addresses.entry)) };
}

/** Imports the package's manual entry into a separate realm. */
export async function importManualInRealm() {
  const window = await openRealm();
  return { window, package: /** @type {ManualPackage} */ (await window.load(addresses.manual)) };
}

/**
 * Starts the package's manual entry in a separate realm.
 * @param {(bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>} [changed] changes the module
 * @param {string[]} [lacking] the globals that the realm lacks
 */
export async function startManualInRealm(changed = (bytes) => bytes, lacking = []) {
  const { window, package: manual } = await importManualInRealm();
  for (const name of lacking) delete (/** @type {any} */ (window)[name]);
  /** @type {any} */
  let exports;
  const { instantiate } = window.WebAssembly;
  window.WebAssembly.instantiate = async (/** @type {any} */ module, /** @type {any} */ imports) => {
    const instance = /** @type {any} */ (await instantiate(module, imports));
    exports = instance.exports;
    return instance;
  };
  await manual.init({ module: changed(new Uint8Array(await (await fetch(addresses.wasm)).arrayBuffer())) });
  return {
    window,
    package: manual,
    /** The exports of the latest instance. */
    get exports() {
      return exports;
    },
  };
}

/** Closes all realms, as the end of each test does. */
export function closeRealms() {
  for (const frame of frames) frame.remove();
  frames.clear();
}
