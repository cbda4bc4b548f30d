/** Decoding of bodies in memory, of every corpus, in the browser and, beside Chromium, in Node. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Failure } from "../../tools/command.js";
import { titles } from "../../tools/engine.js";
import { corpora } from "./corpora.js";
import { partitions } from "./options.js";
import { withService } from "./service.js";
import { inTab } from "./tab.js";

/** @typedef {import("./run.js").Setting} Setting */
/** @typedef {import("./page/decoding.js").Decoding} Decoding */
/** @typedef {Parameters<typeof import("./page/decoding.js").decode>[0]} Wanted */
/** @typedef {string} Host the title of an engine, or Node */

/**
 * @param {Setting} setting
 * @returns {Promise<Record<Host, Record<string, Decoding>>>} by host and corpus
 */
export async function measureDecoding(setting) {
  const { engine, browser } = setting;
  const inBrowser = await withService(setting, ({ url }) =>
    measureCorpora(setting, titles[engine], (wanted) => inTab(browser, url, (tab) => tab.call("decode", wanted))),
  );
  // Node has the engine of Chromium.
  return engine === "chromium"
    ? { [titles[engine]]: inBrowser, Node: await measureCorpora(setting, "Node", decodeInNode) }
    : { [titles[engine]]: inBrowser };
}

/**
 * @param {Setting} setting
 * @param {Host} host
 * @param {(wanted: Wanted) => Promise<Decoding>} decode in a process that has decoded no other corpus
 */
async function measureCorpora({ options, note }, host, decode) {
  const { findings, rounds } = options;
  /** @type {Record<string, Decoding>} */
  const measured = {};
  for (const corpus of Object.keys(corpora)) {
    note(`in ${host}, ${corpus}`);
    measured[corpus] = await decode({ corpus, findings, partitions, rounds });
  }
  return measured;
}

/**
 * @param {Wanted} wanted
 * @returns {Promise<Decoding>}
 */
async function decodeInNode(wanted) {
  const program = fileURLToPath(new URL("decode-in-node.js", import.meta.url));
  const child = fork(program, [JSON.stringify(wanted)], { execArgv: ["--expose-gc"] });
  const [decoding] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => {
      throw new Failure("Node could not decode the bodies: see its message above.");
    }),
  ]);
  return decoding;
}
