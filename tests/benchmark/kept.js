/** A table that is kept for the next visit: writing it, and opening it in a page that is new. */

import { withService } from "./service.js";
import { inRounds } from "./statistics.js";
import { inTab } from "./tab.js";

/** How often a page writes or opens a table. */
const times = 3;

/** @param {import("./run.js").Setting} setting */
export async function measureKept(setting) {
  const { browser, options, note } = setting;
  /** @type {import("./statistics.js").Rows} */
  const measured = {};
  for (const corpus of options.corpora) {
    const measure = async (/** @type {import("./service.js").Service} */ { url, findings }) => {
      const json = await inTab(browser, url, (tab) => tab.call("retrieve", "bytesOnly", findings));
      const visitTwice = () =>
        inTab(browser, url, async (tab) => {
          const { writing, byteLength } = await tab.call("keepTable", findings, times);
          await tab.visit(url);
          const { opening, toFirstChart, requests } = await tab.call("visitAgain", findings, times);
          const visit = { "toBytes ms": writing, "fromBytes ms": opening, "first chart ms": toFirstChart, requests };
          return { ...visit, "÷ JSON": byteLength / json.byteLength };
        });
      return inRounds([corpus], options.rounds, visitTwice, note);
    };
    Object.assign(measured, await withService(setting, measure, { corpus }));
  }
  return { "for the next visit": measured };
}
