/** The snapshot of the public types: one committed file, so that a review shows every change of them. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "../../tools/build.js";
import { isStarted, log, script } from "../../tools/command.js";
import { dist, inRepository } from "../../tools/repository.js";
import { setUp } from "../../tools/setup.js";

export const snapshotFile = inRepository("tests", "types", "public.d.ts");

/** The public types of the built package. */
export function currentTypes() {
  const sections = publicFiles().map((file) => `// ${relative(dist, file)}\n\n${readFileSync(file, "utf8").trim()}\n`);
  return `// The public types, as \`npm run update:types\` copies them from dist/. Not to be edited.\n\n${sections.join("\n")}`;
}

/** The files of types of the built package. */
export function publicFiles() {
  const names = readdirSync(dist).filter((name) => name.endsWith(".d.ts"));
  return names.sort().map((name) => join(dist, name));
}

if (isStarted(import.meta.url)) {
  await script(async () => {
    await setUp();
    await build();
    writeFileSync(snapshotFile, currentTypes());
    log("tests/types/public.d.ts is up to date.");
  });
}
