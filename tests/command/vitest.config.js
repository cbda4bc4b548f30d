/** How the parts of the command are tested: in Node. */

import { defineConfig } from "vitest/config";
import { counts } from "../tier.js";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: "../../target/vite/command",
  test: {
    name: "command",
    include: ["*.test.ts"],
    environment: "node",
    provide: { counts },
    testTimeout: 60_000,
  },
});
