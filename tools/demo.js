/** The build of the demo, with the documentation beside it: static files that work under any path. */

import process from "node:process";
import { build } from "./build.js";
import { isStarted, log, packageCommand, run, script } from "./command.js";
import { buildDocs } from "./docs.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";

/** Builds the demo from the built package, into `www/dist/`, and the documentation, to which it links. */
export async function buildDemo() {
  await run(process.execPath, [packageCommand("vite"), "build", inRepository("www")]);
  await buildDocs();
}

if (isStarted(import.meta.url)) {
  await script(async () => {
    await setUp();
    await build();
    await buildDemo();
    log("The demo is in www/dist/.");
  });
}
