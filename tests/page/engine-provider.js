/** A browser for Vitest: Chromium by Playwright, or one of the other engines, by the interface that all of them have. */

import { defineBrowserProvider } from "@vitest/browser";
import { playwright } from "@vitest/browser-playwright";
import { launchOptions } from "../../tools/browser.js";
import { engineNames, launchEngine } from "../../tools/engine.ts";
import { inRepository, root } from "../../tools/repository.js";
import { engine, inWorker } from "../tier.js";
import { shippedPackage } from "./shipped.js";

/** @typedef {import("../../tools/engine.ts").Browser} Browser */
/** @typedef {import("../../tools/engine.ts").EngineName} EngineName */

/** What the configurations of all tests in a browser have. @type {import("vitest/config").ViteUserConfig} */
export const inBrowser = {
  // WebKitGTK does not know `using` yet.
  ...(engine === "webkit"
    ? { oxc: { include: [/\/tests\/(?:page|wire)\/[^/]*\.js$/, /\.(?:ts|tsx|jsx)$/], exclude: [], target: "es2024" } }
    : {}),
  plugins: [shippedPackage("/package")],
  server: { fs: { allow: [root] } },
  test: {
    provide: /** @type {any} */ ({ inWorker }),
    setupFiles: [inRepository("tests", "page", "guard.js")],
    // No test depends on how long something takes: this is for what never comes.
    testTimeout: 60_000,
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
};

/** A provider that opens the pages of the tests and can do nothing else, such as clicking or collecting garbage. */
function engines() {
  return defineBrowserProvider({
    name: "engines",
    supportedBrowser: engineNames,
    providerFactory: (project) => {
      // Vitest asks for a size of the page's frame. The frame has it anyway, and no test needs another.
      project.browser?.registerCommand(/** @type {any} */ ("__vitest_viewport"), () => {});
      return new EngineProvider(/** @type {EngineName} */ (project.config.browser.name));
    },
  });
}

class EngineProvider {
  name = "engines";
  supportsParallelism = false;
  #launched;

  /** @param {EngineName} name */
  constructor(name) {
    this.#launched = launchEngine(name);
    // It is handled where the first page is opened.
    this.#launched.catch(() => {});
  }

  getCommandsContext() {
    return {};
  }

  /**
   * @param {string} _session
   * @param {string} url
   */
  async openPage(_session, url) {
    const browser = await this.#launched;
    const page = await browser.newPage();
    await page.goto(url);
  }

  async close() {
    await (await this.#launched).close();
  }
}
