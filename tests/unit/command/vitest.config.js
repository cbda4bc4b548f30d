/** How the parts of the command are tested: in Node. */

import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { counts } from "../../tier.js";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: "../../../target/vite/command",
  // The command's own bundle imports the built entry, too.
  resolve: {
    alias: [{ find: /^\.\.\/entries\/inline\.js$/, replacement: join(import.meta.dirname, "../../../dist/inline.js") }],
  },
  test: {
    name: "command",
    include: ["*.test.ts"],
    environment: "node",
    provide: { counts },
    testTimeout: 60_000,
  },
});
