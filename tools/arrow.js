/** Reads Arrow streams and exported files by pyarrow, Polars and DuckDB. */

import process from "node:process";
import { build } from "./build.js";
import { run, script } from "./command.js";
import { ensurePython } from "./python.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";

await script(async () => {
  await setUp();
  await build();
  const python = await ensurePython("python", ["pyarrow==26.0.1", "polars==2.1.0", "duckdb==2.0.0"]);
  await run(process.execPath, [inRepository("tests", "arrow", "write-cases.js")]);
  await run(python, [inRepository("tests", "arrow", "read.py"), inRepository("target", "arrow")]);
});
