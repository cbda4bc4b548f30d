/** The soak test: makes retrievals in a page and in a worker, for a time of your choice. */

import process from "node:process";
import { help, readOptions } from "../tests/soak/options.js";
import { build } from "./build.js";
import { script } from "./command.js";
import { setUp } from "./setup.js";

await script(async () => {
  const options = readOptions(process.argv.slice(2));
  await setUp();
  await build();
  // Imported late, because it needs the packages that the set-up installs.
  const { runSoak } = await import("../tests/soak/run.js");
  const isSound = await runSoak(options);
  process.exitCode = isSound ? 0 : 1;
}, help);
