/** The start: builds the package, the documentation and the demo, and serves the demo. */

import { build } from "./build.js";
import { log, script } from "./command.js";
import { buildDemo } from "./demo.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";

await script(async () => {
  await setUp();
  await build();
  await buildDemo();
  await serve();
});

/** Serves the demo until the process is stopped, at the usual port or the next free one. */
async function serve() {
  // Imported late, because the set-up installs it.
  const { preview } = await import("vite");
  const server = await preview({ root: inRepository("www") });
  log(`\nThe demo is at ${server.resolvedUrls?.local[0]} (stop it with Ctrl+C).`);
}
