/** Decoding of bodies in memory, of every corpus, in the browser and, beside Chromium, in Node. */

import { execFileSync } from "node:child_process";
import process from "node:process";
import { titles } from "../../tools/engine.js";
import { corpusNames } from "./corpus-names.js";
import { partitions } from "./options.js";
import { withService } from "./service.js";
import { inTab } from "./tab.js";

/** @typedef {Parameters<typeof import("./page/decoding.js").decode>[0]} Wanted */
/** @typedef {import("./statistics.js").Rows} Rows */

/** @param {import("./run.js").Setting} setting */
export function measureDecoding(setting) {
  const { browser, note, options } = setting;
  return withService(setting, async ({ url }) => {
    /** Each decodes in a process that has decoded no other corpus. @type {Record<string, (wanted: Wanted) => Promise<Rows[string]>>} */
    const hosts = {
      [titles[options.engine]]: (wanted) => inTab(browser, url, (tab) => tab.call("decode", wanted)),
      // Node has the engine of Chromium.
      ...(options.engine === "chromium" && { Node: decodeInNode }),
    };
    /** @type {Record<string, Rows>} */
    const measured = {};
    for (const [host, decode] of Object.entries(hosts)) {
      measured[host] = {};
      for (const corpus of corpusNames) {
        note(`in ${host}, ${corpus}`);
        const { findings, rounds } = options;
        measured[host][corpus] = await decode({ corpus, findings, partitions, rounds });
      }
    }
    return measured;
  });
}

/** @param {Wanted} wanted */
async function decodeInNode(wanted) {
  const module = JSON.stringify(new URL("page/decoding.js", import.meta.url));
  const code = `import { decode } from ${module}; console.log(JSON.stringify(await decode(${JSON.stringify(wanted)})));`;
  const parameters = ["--expose-gc", "--input-type=module", "--eval", code];
  return JSON.parse(execFileSync(process.execPath, parameters, { encoding: "utf8" }));
}
