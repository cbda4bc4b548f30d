/** The tests of the border and of surveys, in Node. A browser runs the properties of the border, too: `tests/page/border.test.ts`. */

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
