/** WebKitGTK: its MiniBrowser on a display that nobody sees, driven by WebDriver. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { Builder } from "selenium-webdriver";
// @ts-expect-error: its types know only the path of its folder, which Node does not resolve.
import { DriverService } from "selenium-webdriver/remote/index.js";
import { Failure } from "./command.js";
import { debian, findProgram, programPath } from "./programs.js";
import { inRepository } from "./repository.js";

/** Where distributions have the programs that are in no folder of `PATH`. */
const libraries = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/libexec"];

/** The rendering of a machine without a graphics card. */
const rendering = { WEBKIT_DISABLE_DMABUF_RENDERER: "1", LIBGL_ALWAYS_SOFTWARE: "1" };

/** How long a page may take to load, in milliseconds. */
const longestLoad = 120_000;

/**
 * Starts the display of WebKitGTK. Each page is in a new browser.
 * @returns {Promise<import("./engine.js").Browser>}
 */
export async function launchWebKit() {
  const display = await startDisplay();
  /** @type {Awaited<ReturnType<typeof openPage>>[]} */
  const pages = [];
  return {
    version: () => pages[0]?.version ?? "",
    async newPage() {
      const page = await openPage(display.name);
      pages.push(page);
      return page;
    },
    async close() {
      await Promise.all(pages.map((page) => page.close())).finally(display.end);
    },
  };
}

/**
 * Starts a display server on the first free display. It must keep running after its last browser has left: during a restart the next browser would find no display.
 */
async function startDisplay() {
  const parameters = ["-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"];
  const child = spawn(programPath("Xvfb", debian.xvfb.names), parameters, {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const end = () => child.kill();
  process.once("exit", end);
  const number = /** @type {import("node:stream").Readable} */ (child.stdio[3]);
  const [name] = await Promise.race([
    once(number, "data"),
    once(child, "exit").then(() => {
      throw new Failure("Xvfb could not be started.");
    }),
  ]);
  return { name: `:${String(name).trim()}`, end };
}

/**
 * Opens a page in a new browser: a driver can have one at a time.
 * @param {string} display
 */
async function openPage(display) {
  const browser = findProgram(["webkit2gtk-4.1/MiniBrowser", "webkit2gtk-4.0/MiniBrowser"], libraries);
  if (browser === undefined) throw new Failure("MiniBrowser was not found: `npm run setup` installs it on Debian.");
  const service = new DriverService.Builder(programPath("WebKitWebDriver", debian["webkit2gtk-driver"].names))
    .setLoopback(true)
    .setEnvironment({ ...process.env, ...rendering, DISPLAY: display, MINIBROWSER: browser })
    .build();
  try {
    const options = { binary: inRepository("tools", "minibrowser.sh"), args: ["--automation"] };
    const driver = await new Builder()
      .usingServer(await service.start())
      .withCapabilities({ browserName: "MiniBrowser", "webkitgtk:browserOptions": options })
      .build();
    await driver.manage().setTimeouts({ script: /** @type {any} */ (null), pageLoad: longestLoad });
    return pageOf(driver, (await driver.getCapabilities()).getBrowserVersion() ?? "", service);
  } catch (error) {
    await service.kill();
    throw error;
  }
}

/**
 * The part of Playwright's interface that every engine has.
 * @param {import("selenium-webdriver").WebDriver} driver
 * @param {string} version of the browser
 * @param {import("selenium-webdriver/remote").DriverService} service
 */
function pageOf(driver, version, service) {
  /** @type {Promise<void> | undefined} */
  let closed;
  return {
    version,

    goto: (/** @type {string} */ url) => driver.get(url),

    /**
     * @param {(argument: any) => any} work
     * @param {any} [argument]
     */
    async evaluate(work, argument) {
      const script = `
        const [argument, done] = arguments;
        Promise.resolve()
          .then(() => (${work})(argument))
          .then((value) => done({ value: JSON.stringify(value) }), (error) => done({ error: String(error) }));`;
      /** @type {{ value?: string, error?: string }} */
      const { value, error } = await driver.executeAsyncScript(script, argument);
      if (typeof error === "string") throw new Error(error);
      return typeof value === "string" ? JSON.parse(value) : undefined;
    },

    /** @param {() => unknown} condition */
    async waitForFunction(condition) {
      await driver.wait(() => this.evaluate(condition));
    },

    /** Closes the page with its browser and driver, once. */
    close() {
      closed ??= driver.quit().finally(() => service.kill());
      return closed;
    },
  };
}
