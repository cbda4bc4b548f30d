/** Small inspections: the first call of a page, which loads the package, and the second one. Every call sends a token. */

import { setTimeout } from "node:timers/promises";
import { defaults } from "./contenders.js";
import { partitions } from "./options.js";
import { withService } from "./service.js";
import { inRounds } from "./statistics.js";
import { inTab } from "./tab.js";

/** The inspections, by the titles of their tables. */
const sizes = {
  "200 findings": { findings: 200, partitions: 1 },
  "10000 findings": { findings: 10_000, partitions },
};

/**
 * Milliseconds from the opening of a tab to its first call. With a tab, Chromium opens a window and starts the page of its address bar, which keeps a
 * processor busy for half a second; a page of a user's has its window before.
 */
const rest = 1000;

/** The rounds for each round of a retrieval: a first call is short, and so varies more. */
const more = 3;

/**
 * The calls of each contender in a fresh tab each time. The first one begins before the import of the package.
 * @param {import("./run.js").Setting} setting
 */
export async function measureStart({ browser, options, note, ...setting }) {
  /** @type {Record<string, import("./statistics.js").Rows>} */
  const measured = {};
  for (const [title, size] of Object.entries(sizes).slice(0, options.figures ? 1 : 2)) {
    const rounds = options.figures ? more * options.rounds : options.rounds;
    const measure = (/** @type {import("./service.js").Service} */ { url, findings }) =>
      inRounds(
        defaults,
        rounds,
        (name) =>
          inTab(browser, url, async (tab) => {
            await setTimeout(rest);
            const first = await tab.traced("retrieve", name, findings, { token: true });
            const second = await tab.call("retrieve", name, findings, { token: true });
            const { "main ms": main, "cpu ms": cpu } = first.work;
            return {
              "first ms": first.value.wallTime,
              "its main ms": main,
              "its cpu ms": cpu,
              "second ms": second.wallTime,
            };
          }),
        (what) => note(`${title}, ${what}`),
      );
    measured[title] = await withService({ ...setting, options }, measure, { ...size, token: true });
  }
  return measured;
}
