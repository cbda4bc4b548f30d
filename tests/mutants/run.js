/**
 * The mutants: puts each fault of the list into the TypeScript, builds the package, and runs the tests that have to notice it. Words on the command
 * line choose faults by their files and tests.
 */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { inRepository } from "../../tools/repository.js";
import { mutants } from "./list.js";

const words = process.argv.slice(2);
const chosen = mutants.filter((mutant) =>
  words.every((word) => Object.values(mutant).some((text) => text.includes(word))),
);
if (chosen.length === 0) throw new Error("No fault has these words.");
if (spawnSync("git", ["diff", "--quiet", "HEAD", "--", "src/js"], { cwd: inRepository() }).status !== 0) {
  throw new Error(
    "Commit or stash the changes in src/js first: an interrupted run leaves a fault there, which `git checkout src/js` removes.",
  );
}

const all = chosen.map(({ tests }) => tests.split(": "));
const [named, others] = [all.filter(([, name]) => name), all.filter(([, name]) => !name)];
if (!builds() || ![named, others].every(pass)) throw new Error("Without a fault, a test fails or the build does.");

const unnoticed = chosen.filter(({ file, before, after, tests }) => {
  const path = inRepository("src", "js", file);
  const code = readFileSync(path, "utf8");
  const parts = code.split(before);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${before}`);
  try {
    writeFileSync(path, parts.join(after));
    const isBuilt = builds();
    const isNoticed = isBuilt && !pass([tests.split(": ")]);
    console.log(`${isNoticed ? "noticed" : isBuilt ? "NOT NOTICED" : "CANNOT BE BUILT"}: ${file}: ${before}`);
    return !isNoticed;
  } finally {
    writeFileSync(path, code);
  }
});
builds();
console.log(`${chosen.length - unnoticed.length} of ${chosen.length} faults are noticed.`);
process.exitCode = unnoticed.length === 0 ? 0 : 1;

function builds() {
  return spawnSync("npm", ["run", "build"], { cwd: inRepository() }).status === 0;
}

/**
 * Whether tests pass: of files, each with words of the names of its tests, or all without words.
 * @param {string[][]} tests
 */
function pass(tests) {
  const files = new Set(tests.map(([file]) => `tests/browser/${file}.test.`));
  const names = tests.flatMap(([, name]) => name ?? []);
  const parameters = [
    ...["run", ...files, "--config", "tests/browser/vitest.config.js", "--bail", "1"],
    ...(names.length > 0 ? ["--testNamePattern", names.join("|")] : []),
  ];
  const command = [inRepository("node_modules", ".bin", "vitest"), ...parameters];
  return (
    files.size === 0 || spawnSync(process.execPath, command, { cwd: inRepository(), timeout: 300_000 }).status === 0
  );
}
