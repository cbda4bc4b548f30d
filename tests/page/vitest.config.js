/** The configuration of the tests of the public interface: in headless Chromium, or in the engine that `$ENGINE` names. */

import { svelte } from "@sveltejs/vite-plugin-svelte";
import vue from "@vitejs/plugin-vue";
import { msw } from "msw/vite";
import { defineConfig, mergeConfig } from "vitest/config";
import { inRepository } from "../../tools/repository.js";
import { documents, saveFiles } from "../docs/documents.js";
import { counts, engine, inWorker, isFull, mode, runsAll } from "../tier.js";
import { inBrowser } from "./engine-provider.js";
import { alsoInWorker, leftOut, leftOutOfFull } from "./left-out.js";

// A test imports a block of a guide as www/docs/GUIDE.md/NAME, or README.md/NAME.
for (const page of documents) saveFiles(page);

const own = defineConfig({
  root: import.meta.dirname,
  resolve: {
    alias: {
      "README.md": inRepository("target", "saved", "README.md"),
      "www/docs": inRepository("target", "saved", "www", "docs"),
    },
  },
  cacheDir: `../../target/vite/${mode}`,
  plugins: [msw({ mode: "worker-only" }), svelte({ configFile: false }), vue()],
  // Discovered later, these dependencies would reload the page during the tests.
  optimizeDeps: {
    include: [
      "@duckdb/duckdb-wasm",
      "@observablehq/plot",
      "@tanstack/react-query",
      "@uwdata/flechette",
      "apache-arrow",
      "fast-check",
      "msw",
      "msw/browser",
      "read-excel-file/browser",
      "react",
      "react-dom/client",
      "react-dom/server",
      "react/jsx-dev-runtime",
      "vue",
      "vue/server-renderer",
    ],
  },
  test: {
    name: "public interface",
    include: inWorker ? alsoInWorker : ["*.test.{js,ts}"],
    exclude: Object.keys({ ...leftOut[engine], ...(isFull && engine !== "chromium" && leftOutOfFull) }),
    provide: { counts },
    tags: [{ name: "full", description: "takes long, and is left out of the quick tier", skip: !runsAll }],
  },
});

export default mergeConfig(inBrowser, own);
