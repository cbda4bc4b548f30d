/** The benchmark: measures the package beside the usual ways to fetch JSON. */

import process from "node:process";
import { help, readOptions } from "../tests/benchmark/options.js";
import { build } from "./build.js";
import { script } from "./command.js";
import { setUp } from "./setup.js";

await script(async () => {
  const options = readOptions(process.argv.slice(2));
  await setUp();
  await build();
  // Imported late, because it needs the packages that the set-up installs.
  const { runBenchmark } = await import("../tests/benchmark/run.js");
  await runBenchmark(options);
}, help);
