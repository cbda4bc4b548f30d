/** The tools that Node starts by themselves: one that cannot run says so. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";

test("a tool under a Node that cannot tell which module it was started with names the version that it needs, and fails", () => {
  const command = JSON.stringify(inRepository("tools", "command.js"));
  // An old Node gives `import.meta` no member `main`.
  const program = `import { isStarted } from ${command}; if (isStarted({})) console.log("never");`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  assert.deepEqual([status, stdout], [1, ""]);
  assert.equal(
    stderr,
    `Node 22.18 or later is needed here, and this is ${process.version}: get it from https://nodejs.org.\n`,
  );
});
