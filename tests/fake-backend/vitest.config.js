/** The configuration of the fake backend's own tests, in Node. */

import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: "../../target/vite/fake-backend",
  test: { name: "fake backend", include: ["*.test.js"], environment: "node" },
});
