/** The configuration of the tests of the public interface whose bodies a worker decodes. */

import { defineConfig, mergeConfig } from "vitest/config";
import { engine } from "../tier.js";
import { inWorker } from "./left-out.js";
import page from "./vitest.config.js";

const own = defineConfig({
  cacheDir: `../../target/vite/worker-mode-${engine}`,
  test: { name: "public interface, in a worker", provide: { inWorker: true } },
});

const config = mergeConfig(page, own);
config.test.include = inWorker;
config.test.exclude = [];

export default config;
