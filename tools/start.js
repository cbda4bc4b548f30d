/** The start: builds the package, and serves the demo. */

import { build } from "./build.js";
import { log, script } from "./command.js";
import { buildDocs } from "./docs.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";

await script(async () => {
  await setUp();
  await build();
  await buildDocs();
  await serve();
});

/** Serves the demo until the process is stopped, at the usual port or the next free one. */
async function serve() {
  // Imported late, because the set-up installs it.
  const { createServer } = await import("vite");
  const server = await createServer({ root: inRepository("www"), clearScreen: false });
  await server.listen();
  log(`\nThe demo is at ${server.resolvedUrls?.local[0]} (stop it with Ctrl+C).`);
}
