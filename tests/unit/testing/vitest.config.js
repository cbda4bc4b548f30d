/** The configuration of the tests of the fake service, in Node. */

import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: "../../../target/vite/testing",
  test: { name: "fake service", include: ["**/*.test.ts"], environment: "node" },
});
