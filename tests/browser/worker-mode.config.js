/** The configuration of the tests of the public interface whose bodies a worker decodes. */

import { join } from "node:path";
import { defineConfig, mergeConfig } from "vitest/config";
import { engine } from "../tier.js";
import { inEachPlace } from "./left-out.js";
import page from "./vitest.config.js";

const workerMode = join(import.meta.dirname, "worker-mode.js");

/** Gives the tests the package in its other mode. @returns {import("vite").Plugin} */
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

/** The configuration of the tests whose bodies are decoded in one place. @param {"worker" | "page"} place */
export function configOf(place) {
  const own = defineConfig({
    cacheDir: `../../target/vite/${place}-mode-${engine}`,
    plugins: [inWorkerMode()],
    test: { name: `public interface, in a ${place}`, provide: { inWorker: place === "worker" } },
  });
  const config = mergeConfig(page, own);
  config.test.include = inEachPlace;
  config.test.exclude = [];
  return config;
}

export default configOf("worker");
