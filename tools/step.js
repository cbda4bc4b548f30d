/** One step of the tests in a process of its own, which tells the totals to the one that has started it. */

import process from "node:process";
import { Failure, say } from "./command.js";
import { steps } from "./steps.js";

/** @typedef {import("./test-summary.js").Totals} Totals */

const [name] = process.argv.slice(2);
process.send?.(await totalsOf(name));
process.disconnect?.();

/**
 * @param {string} name
 * @returns {Promise<Totals>}
 */
async function totalsOf(name) {
  try {
    const step = steps.find((step) => step.name === name);
    if (step === undefined) {
      throw new Failure(`There is no step "${name}".`);
    }
    return await step.run();
  } catch (error) {
    say(error instanceof Failure ? error.message : String(error instanceof Error ? error.stack : error));
    return { passed: 0, failed: 1 };
  }
}
