/** The configuration of the tests on the wire: a real browser, the one that `$ENGINE` names, and a real server, whose connections break on demand. */

import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { launchOptions } from "../../tools/browser.js";
import { inRepository, root } from "../../tools/repository.js";
import { engines } from "../page/engine-provider.js";
import { shippedPackage } from "../page/shipped.js";
import { engine } from "../tier.js";
import { controlWire, openWire } from "./server/wire.ts";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: `../../target/vite/wire-${engine}`,
  // WebKitGTK does not know `using` yet.
  ...(engine === "webkit"
    ? { oxc: { include: [/\/tests\/(?:page|wire)\/[^/]*\.[jt]s$/], exclude: [], target: "es2024" } }
    : {}),
  plugins: [shippedPackage("/package")],
  server: { fs: { allow: [root] } },
  test: {
    name: "on the wire",
    include: ["*.test.{js,ts}"],
    setupFiles: [inRepository("tests", "page", "guard.js")],
    // No test depends on how long something takes: these are for what never comes, which is not waited for in every test.
    testTimeout: 60_000,
    bail: 10,
    expect: { poll: { timeout: 50_000, interval: 10 } },
    // Two files at once would take each other's time.
    fileParallelism: false,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: engine === "chromium" ? playwright({ launchOptions: launchOptions() }) : engines(),
      instances: [{ browser: /** @type {any} */ (engine) }],
      commands: { openWire, controlWire },
    },
  },
});
