/** Tests the data source for Spark on this machine, with Spark in a Python environment below `target/`. */

import { existsSync, readdirSync } from "node:fs";
import process from "node:process";
import { build } from "./build.js";
import { capture, Failure, log, run, script } from "./command.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";

/** What a driver and an executor need, each of one version. */
const packages = ["pyspark==4.0.1", "pyarrow==26.0.1"];

await script(async () => {
  if (capture("java", ["-version"]) === undefined) {
    throw new Failure(
      "Java 17 or 21 is needed and was not found: get it with `apt-get install openjdk-17-jre-headless`.",
    );
  }
  await setUp();
  await build();
  const environment = inRepository("target", "spark", "python");
  const python = inRepository("target", "spark", "python", "bin", "python");
  if (!existsSync(python)) {
    await run("python3", ["-m", "venv", environment], {
      otherwise: "Python 3.9 or later with `venv` is needed: get it with `apt-get install python3-venv`.",
    });
  }
  log("Installing Spark (434 MB the first time) …");
  await run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages]);
  const files = readdirSync(inRepository("tests", "spark")).filter((name) => name.endsWith(".test.js"));
  await run(process.execPath, [
    "--test",
    "--test-concurrency=1",
    "--test-timeout=600000",
    "--test-reporter=spec",
    ...files.map((name) => inRepository("tests", "spark", name)),
  ]);
});
