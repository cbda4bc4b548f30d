/** How the parts of the demo are tested that need no page: in Node. */

import { defineConfig } from "vitest/config";
import { providedCounts } from "../../tools/tiers.js";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: "../../target/vite/demo-parts",
  test: {
    name: "parts of the demo",
    include: ["*.test.ts"],
    environment: "node",
    provide: { counts: providedCounts() },
    testTimeout: 60_000,
  },
});
