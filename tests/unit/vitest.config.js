/** The tests in Node: of the border, and of what stands on it. */

import { defineConfig } from "vitest/config";
import { inRepository } from "../../tools/repository.js";
import { counts } from "../tier.js";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: "../../target/vite/node",
  // The command's own bundle imports the built entry, too.
  resolve: {
    alias: [{ find: /^\.\.\/entries\/inline\.js$/, replacement: inRepository("dist", "inline.js") }],
  },
  test: {
    name: "border",
    include: ["{border,command,survey,testing}/*.test.{js,ts}"],
    environment: "node",
    provide: { counts },
    testTimeout: 120_000,
  },
});
