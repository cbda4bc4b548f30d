/** What axe finds on a page. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const script = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * Returns what is wrong on a page, without what is in its frames. Runs the script as developer tools do, so a policy of the page does not refuse it.
 * @param {Pick<import("playwright-core").Page, "evaluate">} page
 * @param {readonly string[]} [rules] all unless given
 * @returns {Promise<string[]>}
 */
export async function violations(page, rules) {
  await page.evaluate(script);
  return page.evaluate(async (rules) => {
    const options = { resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) };
    const { violations } = await /** @type {any} */ (globalThis).axe.run(options);
    return violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0].html}`);
  }, rules);
}
