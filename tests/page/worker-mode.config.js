/** The configuration of the tests of the public interface whose bodies a worker decodes. */

import { defineConfig, mergeConfig } from "vitest/config";
import { engine } from "../tier.js";
import { inEachPlace } from "./left-out.js";
import page from "./vitest.config.js";

/** The configuration of the tests whose bodies are decoded in one place. @param {"worker" | "page"} place */
export function configOf(place) {
  const own = defineConfig({
    cacheDir: `../../target/vite/${place}-mode-${engine}`,
    test: { name: `public interface, in a ${place}`, provide: { inWorker: place === "worker" } },
  });
  const config = mergeConfig(page, own);
  config.test.include = inEachPlace;
  config.test.exclude = [];
  return config;
}

export default configOf("worker");
