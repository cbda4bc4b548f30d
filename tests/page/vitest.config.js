/** The configuration of the tests of the public interface: in headless Chromium, or in the engine that `$ENGINE` names. */

import { svelte } from "@sveltejs/vite-plugin-svelte";
import vue from "@vitejs/plugin-vue";
import { playwright } from "@vitest/browser-playwright";
import { msw } from "msw/vite";
import { defineConfig } from "vitest/config";
import { launchOptions } from "../../tools/browser.js";
import { inRepository, root } from "../../tools/repository.js";
import { documents, saveFiles } from "../docs/documents.js";
import { counts, engine, isFull, runsAll } from "../tier.js";
import { engines } from "./engine-provider.js";
import { leftOut, leftOutOfFull } from "./left-out.js";
import { shippedPackage } from "./shipped.js";

// A test imports a block of a guide as www/docs/GUIDE.md/NAME, or README.md/NAME.
for (const page of documents) saveFiles(page);

export default defineConfig({
  root: import.meta.dirname,
  resolve: {
    alias: {
      "README.md": inRepository("target", "saved", "README.md"),
      "www/docs": inRepository("target", "saved", "www", "docs"),
    },
  },
  cacheDir: `../../target/vite/${engine}`,
  // WebKitGTK does not know `using` yet.
  ...(engine === "webkit"
    ? { oxc: { include: [/\/tests\/page\/[^/]*\.js$/, /\.(?:ts|tsx|jsx)$/], exclude: [], target: "es2024" } }
    : {}),
  plugins: [msw({ mode: "worker-only" }), shippedPackage("/package"), svelte({ configFile: false }), vue()],
  server: { fs: { allow: [root] } },
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
    include: ["*.test.{js,ts}"],
    exclude: Object.keys({ ...leftOut[engine], ...(isFull && engine !== "chromium" && leftOutOfFull) }),
    setupFiles: ["guard.js"],
    testTimeout: 60_000,
    provide: { counts },
    tags: [{ name: "full", description: "takes long, and is left out of the quick tier", skip: !runsAll }],
    // Two files at once would take each other's time.
    fileParallelism: false,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: engine === "chromium" ? playwright({ launchOptions: launchOptions() }) : engines(),
      instances: [{ browser: /** @type {any} */ (engine) }],
    },
  },
});
