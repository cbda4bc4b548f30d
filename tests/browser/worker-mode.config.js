/** The configuration of the tests of the public interface whose attempts a worker makes. */

import { join } from "node:path";
import process from "node:process";
import { defineConfig, mergeConfig } from "vitest/config";
import { inWorkerToo } from "./left-out.js";
import page from "./vitest.config.js";

const workerMode = join(import.meta.dirname, "worker-mode.js");

/**
 * Gives the tests the package in its other mode.
 * @returns {import("vite").Plugin}
 */
export function inWorkerMode() {
  return {
    name: "worker-mode",
    enforce: "pre",
    resolveId: {
      filter: { id: /^inspection-findings$/ },
      handler: (_, importer) => (importer?.split("?", 1)[0] === workerMode ? undefined : workerMode),
    },
  };
}

const { ENGINE: engine = "chromium" } = process.env;

const own = defineConfig({
  cacheDir: `../../target/vite/worker-mode-${engine}`,
  plugins: [inWorkerMode()],
  test: { name: "public interface, in a worker", provide: { inWorker: true } },
});

const config = mergeConfig(page, own);

config.test.include = inWorkerToo;

export default config;
