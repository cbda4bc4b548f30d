/** The documentation's table of toolchains names what the projects of `tests/packaging` prove, and nothing else. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { projects } from "../packaging/projects.js";

test("every toolchain of the documentation's table is a project, and every project is in the table", () => {
  const [table] = readFileSync(inRepository("www/docs/toolchains.md"), "utf8").split(/^## /m);
  const rows = [...table.matchAll(/^\| (?!toolchain)([^|-]+?) \|/gm)].map(([, cell]) => cell);
  assert.deepEqual(
    rows.flatMap((cell) => cell.split(", ")).sort(),
    Object.values(projects)
      .map(({ title }) => title)
      .sort(),
  );
});
