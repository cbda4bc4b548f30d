/** The benchmark: sets up what it needs, builds the package, and measures it beside what people write today. */

import process from "node:process";
import { readOptions } from "../tests/benchmark/options.js";
import { build } from "./build.js";
import { script } from "./command.js";
import { setUp } from "./setup.js";

await script(async () => {
  const options = readOptions(process.argv.slice(2));
  await setUp();
  await build();
  // Only now: it needs what the set-up has installed.
  const { runBenchmark } = await import("../tests/benchmark/run.js");
  await runBenchmark(options);
});
