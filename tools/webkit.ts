/** WebKitGTK: its MiniBrowser on a display that nobody sees, driven by WebDriver. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { Readable } from "node:stream";
import { Builder, type WebDriver } from "selenium-webdriver";
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

/** Starts the display of WebKitGTK. Each page is in a new browser. */
export async function launchWebKit() {
  const display = await startDisplay();
  const pages: Awaited<ReturnType<typeof openPage>>[] = [];
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

/** Starts a display server on the first free display. It must keep running after its last browser has left: during a restart the next browser would find no display. */
async function startDisplay() {
  const parameters = ["-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"];
  const child = spawn(programPath("Xvfb", debian.xvfb.names), parameters, {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const end = () => child.kill();
  process.once("exit", end);
  const number = child.stdio[3] as Readable;
  const [name] = await Promise.race([
    once(number, "data"),
    once(child, "exit").then(() => {
      throw new Failure("Xvfb could not be started.");
    }),
  ]);
  return { name: `:${String(name).trim()}`, end };
}

/** Opens a page in a new browser: a driver can have one at a time. */
async function openPage(display: string) {
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
    await driver.manage().setTimeouts({ script: null as never, pageLoad: longestLoad });
    return pageOf(driver, (await driver.getCapabilities()).getBrowserVersion() ?? "", service);
  } catch (error) {
    await service.kill();
    throw error;
  }
}

/** The part of Playwright's interface that every engine has. */
function pageOf(driver: WebDriver, version: string, service: { kill(): Promise<void> }) {
  let closed: Promise<void> | undefined;
  return {
    version,

    goto: (url: string) => driver.get(url),

    async evaluate<Argument, Result>(
      work: (argument: Argument) => Result | Promise<Result>,
      argument: Argument,
    ): Promise<Result> {
      const script = `
        const [argument, done] = arguments;
        Promise.resolve()
          .then(() => (${work})(argument))
          .then((value) => done({ value: JSON.stringify(value) }), (error) => done({ error: String(error) }));`;
      const { value, error }: { value?: string; error?: string } = await driver.executeAsyncScript(script, argument);
      if (typeof error === "string") throw new Error(error);
      return JSON.parse(value ?? "null") ?? undefined;
    },

    async waitForFunction(condition: () => unknown) {
      await driver.wait(() => this.evaluate(condition, undefined));
    },

    /** Closes the page with its browser and driver, once. */
    close() {
      closed ??= driver.quit().finally(() => service.kill());
      return closed;
    },
  };
}
