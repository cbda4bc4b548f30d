/** Tests the data source for Spark on this machine. */

import { capture, Failure, run, script } from "./command.js";
import { ensurePython } from "./python.js";
import { setUp } from "./setup.js";
import { nodeTests } from "./steps.js";
import { installWheel } from "./wheel.js";

await script(async () => {
  if (capture("java", ["-version"]) === undefined) {
    throw new Failure(
      "Java 17 or 21 is needed and was not found: get it with `apt-get install openjdk-17-jre-headless`.",
    );
  }
  await setUp();
  await installWheel(await ensurePython("spark/python", ["pyspark==4.0.1", "pyarrow==26.0.1"]));
  const [program, ...parameters] = nodeTests("tests/spark", { limit: 600_000 }).words;
  await run(program, parameters);
});
