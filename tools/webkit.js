/** WebKitGTK: its MiniBrowser on a display that nobody sees, driven by WebDriver. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { Failure } from "./command.js";
import { freePort } from "./port.js";
import { debian, findProgram, programPath } from "./programs.js";
import { inRepository } from "./repository.js";
import { openDrivenPage } from "./webdriver.js";

/** Where distributions have the programs that are in no folder of `PATH`. */
const libraries = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/libexec"];

/** The rendering of a machine without a graphics card. */
const rendering = { WEBKIT_DISABLE_DMABUF_RENDERER: "1", LIBGL_ALWAYS_SOFTWARE: "1" };

/** @typedef {{ driver: string, browser: string, display: string }} Programs */

/**
 * Starts WebKitGTK: its display, and the browser once, so that one that does not work is found here.
 * @returns {Promise<import("./engine.js").Browser>}
 */
export async function launchWebKit() {
  const programs = findPrograms();
  const display = await startDisplay(programs.display);
  const open = () => openPage(programs, display.name);
  /** @type {import("./engine.js").Page[]} */
  const pages = [];
  const close = () =>
    Promise.all(pages.map((page) => page.close()))
      .then(() => {})
      .finally(display.end);
  try {
    const first = await open();
    await first.close();
    return {
      version: () => first.version,
      async newPage() {
        const page = await open();
        pages.push(page);
        return page;
      },
      close,
    };
  } catch (error) {
    display.end();
    throw error;
  }
}

/**
 * The paths of the driver, the browser and the display server.
 * @returns {Programs}
 */
function findPrograms() {
  const [driver, display] = ["webkit2gtk-driver", "xvfb"].map((name) => programPath(name, debian[name].names));
  const browser = findProgram(["webkit2gtk-4.1/MiniBrowser", "webkit2gtk-4.0/MiniBrowser"], libraries);
  if (browser === undefined)
    throw new Failure("WebKitGTK's MiniBrowser was not found: `npm run setup` installs it on Debian.");
  return { driver, browser, display };
}

/**
 * Starts a display server on the first free display. It must keep running after its last browser has left: during a restart the next browser would find no display.
 * @param {string} program
 */
async function startDisplay(program) {
  const screen = ["-screen", "0", "1280x1024x24"];
  const { child, end } = inBackground(program, ["-displayfd", "3", ...screen, "-nolisten", "tcp", "-noreset"]);
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
 * Opens a page in a browser of its own: its driver can have one at a time.
 * @param {Programs} programs
 * @param {string} display
 */
async function openPage({ driver, browser }, display) {
  const port = await freePort();
  const { end } = inBackground(driver, ["-p", String(port)], { ...rendering, DISPLAY: display });
  return openDrivenPage({
    url: `http://127.0.0.1:${port}`,
    capabilities: { "webkitgtk:browserOptions": { binary: silenced(browser), args: ["--automation"] } },
    end,
  });
}

/**
 * The path of a script that starts the browser and writes its output to a file. Otherwise the pipe to the driver, which does not read it,
 * would fill up and stop the browser.
 * @param {string} browser
 */
function silenced(browser) {
  const folder = inRepository("target", "webkit");
  const script = join(folder, "minibrowser.sh");
  mkdirSync(folder, { recursive: true });
  // Another process may start the script at this moment.
  const written = `${script}.${process.pid}`;
  const log = join(folder, "minibrowser.log");
  writeFileSync(written, `#!/bin/sh\nexec '${browser}' "$@" > '${log}' 2>&1\n`, { mode: 0o755 });
  renameSync(written, script);
  return script;
}

/**
 * Starts a program that ends with this process, at the latest.
 * @param {string} program
 * @param {string[]} parameters
 * @param {Record<string, string>} [env] variables on top of those of this process
 */
function inBackground(program, parameters, env = {}) {
  const child = spawn(program, parameters, {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  const end = () => {
    process.off("exit", end);
    child.kill();
  };
  process.on("exit", end);
  return { child, end };
}
