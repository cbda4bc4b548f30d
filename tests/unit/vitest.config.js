/** How what crosses between JavaScript and Rust is tested in Node. A browser runs the same properties: `tests/page/border.test.ts`. */

import { defineConfig } from "vitest/config";
import { counts } from "../tier.js";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: "../../target/vite/border",
  test: {
    name: "border",
    include: ["{border,survey}/*.test.{js,ts}"],
    environment: "node",
    provide: { counts },
    testTimeout: 120_000,
  },
});
