/** The run of the tests: no failure is lost, and none stops a script that does not need it. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { inRepository, target } from "../../tools/repository.js";

for (const [what, scripts, ending] of /** @type {const} */ ([
  ["a failure and a signal are counted", { a: "true", b: "exit 3", c: "kill -9 $$" }, [1, "1 passed, 2 failed"]],
  [
    "after a failed build only the script beside it runs",
    { a: "exit 1", b: "true", c: "true" },
    [1, "1 passed, 2 failed"],
  ],
  ["without a failure the status is 0", { a: "true", b: "true" }, [0, "2 passed, 0 failed"]],
])) {
  test(what, () => {
    const folder = mkdtempSync(join(target, "scripts-"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts }));
    const program = inRepository("tools", "test.ts");
    const options = /** @type {const} */ ({ cwd: folder, encoding: "utf8" });
    const { status, stdout } = spawnSync(process.execPath, [program, ...Object.keys(scripts)], options);
    rmSync(folder, { recursive: true });
    assert.deepEqual([status, stdout.trim().split("\n").at(-1)], ending);
  });
}
