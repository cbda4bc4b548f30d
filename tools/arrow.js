/** Reads Arrow streams and exported Parquet files by pyarrow, Polars and DuckDB, in a Python environment below `target/`. */

import { existsSync } from "node:fs";
import process from "node:process";
import { build } from "./build.js";
import { log, run, script } from "./command.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";

/** The readers, each of one version. */
const packages = ["pyarrow==26.0.1", "polars==2.1.0", "duckdb==2.0.0"];

await script(async () => {
  await setUp();
  await build();
  const environment = inRepository("target", "python");
  const python = inRepository("target", "python", "bin", "python");
  if (!existsSync(python)) await run("python3", ["-m", "venv", environment]);
  log("Installing the readers …");
  await run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages]);
  await run(process.execPath, [inRepository("tests", "arrow", "write-cases.js")]);
  await run(python, [inRepository("tests", "arrow", "read.py"), inRepository("target", "arrow")]);
});
