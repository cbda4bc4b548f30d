/** A copy of the sources, as a clean clone has them: it builds the same package, which can be published, and works where it is installed. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { capture, run } from "../../../tools/command.js";
import { dist, glueTool, inRepository, root } from "../../../tools/repository.js";
import { runNode } from "../../run-node.js";
import { installByNpm, makeProject } from "../package/project.js";
import { quickStart } from "../package/quick-start.js";

const copy = realpathSync(mkdtempSync(join(tmpdir(), "inspection-findings-build-")));
after(() => rmSync(copy, { recursive: true }));

test("a build in another folder gives the same bytes", async () => {
  copySources();
  await run(process.execPath, ["tools/build.ts"], { cwd: copy, env: { CARGO_TARGET_DIR: undefined } });
  const other = join(copy, "dist");
  const names = readdirSync(dist).sort();
  assert.deepEqual(readdirSync(other).sort(), names);
  const different = names.filter((name) => !readFileSync(join(dist, name)).equals(readFileSync(join(other, name))));
  assert.deepEqual(different, []);
});

test("the README's quick start runs in an empty folder with the packed copy", async () => {
  const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "--json"], { cwd: copy, encoding: "utf8" }));
  process.env.TARBALL = join(copy, filename);
  const { file, prints } = quickStart.runs["as pasted"];
  const project = makeProject(quickStart.files(""), installByNpm);
  after(project.remove);
  const { stdout, stderr } = await runNode([file], { cwd: project.folder });
  assert.match(stdout, prints);
  assert.equal(stderr, "");
});

/** Copies the sources, without what is built of them. The tool that makes the glue, which is no part of the package, is taken as it is. */
function copySources() {
  const listed = capture("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
  assert.ok(listed !== undefined, "git lists the sources");
  for (const path of [...listed.split("\0").filter(Boolean), relative(root, glueTool)]) {
    cpSync(inRepository(path), join(copy, path), { recursive: true, force: true });
  }
  symlinkSync(inRepository("node_modules"), join(copy, "node_modules"), "junction");
}
