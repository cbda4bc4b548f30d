/** The configuration of the tests of the public interface, in a headless browser. */

import { playwright } from "@vitest/browser-playwright";
import { msw } from "msw/vite";
import { defineConfig } from "vitest/config";
import { launchOptions } from "../../tools/browser.js";
import { root } from "../../tools/repository.js";
import { providedCounts } from "../../tools/tiers.js";
import { shippedPackage } from "./shipped.js";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: "../../target/vite/browser",
  plugins: [msw({ mode: "worker-only" }), shippedPackage("/package")],
  server: { fs: { allow: [root] } },
  // Discovered later, these dependencies would reload the page during the tests.
  optimizeDeps: { include: ["fast-check", "msw", "msw/browser", "react", "react-dom/client"] },
  test: {
    name: "public interface",
    include: ["*.test.js"],
    setupFiles: ["guard.js"],
    testTimeout: 60_000,
    provide: { counts: providedCounts() },
    tags: [{ name: "full", description: "takes long, and is left out of the quick tier" }],
    // Two files at once would take each other's time.
    fileParallelism: false,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions: launchOptions() }),
      instances: [{ browser: "chromium" }],
    },
  },
});
