/** The configuration of the tests on the wire whose bodies a worker decodes. */

import { defineConfig, mergeConfig } from "vitest/config";
import page from "./vitest.config.js";

const own = defineConfig({
  cacheDir: "../../target/vite/wire-worker-mode",
  test: { name: "on the wire, in a worker", provide: { inWorker: true } },
});

export default mergeConfig(page, own);
