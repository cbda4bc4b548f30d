/** How the tests on the wire run: in a real browser, against a real server whose connections break as a test wants it. */

import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { launchOptions } from "../../tools/browser.js";
import { root } from "../../tools/repository.js";
import { shippedPackage } from "../browser/shipped.js";
import { closeWire, lookAtWire, openWire } from "./server/commands.js";
import { callOffline } from "./server/offline.js";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: "../../target/vite/wire",
  plugins: [shippedPackage("/package")],
  server: { fs: { allow: [root] } },
  test: {
    name: "on the wire",
    include: ["*.test.js"],
    setupFiles: ["../browser/guard.js"],
    testTimeout: 30_000,
    expect: { poll: { timeout: 12_000, interval: 10 } },
    // Two files at once would take each other's time.
    fileParallelism: false,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions: launchOptions() }),
      instances: [{ browser: "chromium" }],
      commands: { openWire, lookAtWire, closeWire, callOffline },
    },
  },
});
