/** The tests: sets up what they need, runs every step of a tier, and ends with the number of those that passed and failed. */

import process from "node:process";
import { browserPath, ensureShell, firefoxPath } from "./browser.js";
import { chosenSteps, help } from "./choice.js";
import { log, script } from "./command.js";
import { runSteps, table } from "./run-steps.js";
import { setUp, setUpChecks } from "./setup.js";
import { steps } from "./steps.js";
import { webkitPrograms } from "./webkit.js";

await script(async () => {
  const start = performance.now();
  const since = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  const { tier, chosen } = chosenSteps(process.argv.slice(2), steps);
  const usesBrowser = chosen.some(({ usesBrowser }) => usesBrowser);
  await setUp(usesBrowser ? [ensureShell] : []);
  await setUpChecks(tier);
  if (usesBrowser) log(`The browser is ${browserPath()}.`);
  if (chosen.some(({ usesEngines }) => usesEngines)) {
    log(`The other engines are ${firefoxPath()} and ${webkitPrograms().browser}.`);
  }
  if (process.stdout.isTTY) {
    Object.assign(process.env, { FORCE_COLOR: "1", CARGO_TERM_COLOR: "always" });
  }
  log(`The set-up took ${since()}.`);
  const results = await runSteps(chosen, tier);
  process.exitCode = results.every(({ troubles }) => troubles.length === 0) ? 0 : 1;
  log(["", ...table(results)].join("\n").concat(`, ${since()}`));
}, help(steps));
