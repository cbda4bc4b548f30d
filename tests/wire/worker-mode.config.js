/** The configuration of the tests on the wire whose bodies a worker decodes. */

import { defineConfig, mergeConfig } from "vitest/config";
import { inWorkerMode } from "../browser/worker-mode.config.js";
import page from "./vitest.config.js";

const own = defineConfig({
  cacheDir: "../../target/vite/wire-worker-mode",
  plugins: [inWorkerMode()],
  test: { name: "on the wire, in a worker", provide: { inWorker: true } },
});

export default mergeConfig(page, own);
