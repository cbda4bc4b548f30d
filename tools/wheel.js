/** The wheel: the Python package, with the program for Node that it starts. */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readerFile } from "./build.ts";
import { run, script } from "./command.js";
import { inRepository, target } from "./repository.js";

await script(async () => {
  const [sources, wheels] = ["sources", "built"].map((name) => join(target, "wheel", name));
  rmSync(join(target, "wheel"), { recursive: true, force: true });
  mkdirSync(wheels, { recursive: true });
  cpSync(inRepository("src", "python"), sources, { recursive: true, filter: (path) => !path.endsWith("__pycache__") });
  for (const name of ["LICENSE", "THIRD-PARTY-NOTICES"]) cpSync(inRepository(name), join(sources, name));
  cpSync(readerFile, join(sources, "inspection_findings", "read.mjs"));
  const { version } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
  writeFileSync(join(sources, "VERSION"), version);
  writeFileSync(join(sources, "README.md"), description());
  await run(
    join(target, "python-build", "bin", "python"),
    ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, sources],
    {
      // The time of a commit is not known to a tarball: every file of a zip archive gets the earliest one.
      env: { SOURCE_DATE_EPOCH: "315532800" },
    },
  );
  console.log(`The wheel is ${join(wheels, readdirSync(wheels)[0])}.`);
});

/** What a registry shows: the guide, without the marks of its code, and without links to files that the wheel lacks. */
function description() {
  const guide = readFileSync(inRepository("www", "docs", "python.md"), "utf8");
  return guide.replaceAll(/^```(\w+) .*$/gm, "```$1").replaceAll(/\[([^\]]+)\]\((?!https:)[^)]*\)/g, "$1");
}
