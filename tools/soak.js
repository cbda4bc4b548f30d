/** The soak: sets up what it needs, builds the package, and lets one page make retrievals for as long as you like. */

import process from "node:process";
import { readOptions } from "../tests/soak/options.js";
import { build } from "./build.js";
import { script } from "./command.js";
import { setUp } from "./setup.js";

await script(async () => {
  const options = readOptions(process.argv.slice(2));
  await setUp();
  await build();
  // Only now: it needs what the set-up has installed.
  const { runSoak } = await import("../tests/soak/run.js");
  const { failed } = await runSoak(options);
  process.exitCode = failed === 0 ? 0 : 1;
});
