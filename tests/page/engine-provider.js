/** A browser for Vitest: one of the engines, by the interface that all of them have. */

import { defineBrowserProvider } from "@vitest/browser";
import { engineNames, launchEngine } from "../../tools/engine.ts";

/** @typedef {import("../../tools/engine.ts").Browser} Browser */
/** @typedef {import("../../tools/engine.ts").EngineName} EngineName */

/** A provider that opens the pages of the tests and can do nothing else, such as clicking or collecting garbage. */
export function engines() {
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
