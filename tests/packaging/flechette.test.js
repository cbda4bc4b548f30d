/** Flechette 2.7, as its tarball has it: `inspection-findings/arrow` writes with it what it writes with the version of the other tests. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { makeProject } from "../package/project.js";

const program = `
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { FindingsClient } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { createFakeService } from "inspection-findings/testing";

const { version } = JSON.parse(readFileSync("node_modules/@uwdata/flechette/package.json"));
const { baseUrl, fetch } = createFakeService();
const table = await new FindingsClient({ baseUrl, fetch }).loadTable(42, "sentiment");
const stream = toArrowIPC(table);
console.log(version, stream.length, createHash("sha256").update(stream).digest("hex"));`;

const project = makeProject({ "write.js": program });
const installed = join(project.folder, "node_modules", "@uwdata", "flechette");
mkdirSync(installed, { recursive: true });
after(project.remove);

test("Flechette 2.7 writes the same stream as 2.6", () => {
  cpSync(inRepository("node_modules", "@uwdata", "flechette"), installed, { recursive: true });
  const [before, ...stream] = written();
  // By its file for Node, which needs no other package.
  const tarball = run("npm", ["pack", "--silent", "@uwdata/flechette@2.7.0"]).trim();
  run("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  assert.deepEqual([before, ...written()], ["2.6.0", "2.7.0", ...stream]);
});

/** The version of Flechette, and the length and the hash of the stream that it writes. */
function written() {
  return run(process.execPath, ["write.js"]).trim().split(" ");
}

/**
 * @param {string} command
 * @param {string[]} parameters
 */
function run(command, parameters) {
  return execFileSync(command, parameters, { cwd: project.folder, encoding: "utf8" });
}
