/** The browser of the tests: a Chromium or Chrome, found in the usual places or installed. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import process from "node:process";
import { Failure, say } from "./command.js";

/** Options against requests of the browser itself, such as for updates at every start. */
const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/**
 * How Playwright and Vitest start the browser.
 * @returns {{ executablePath: string, args: string[] }}
 */
export function launchOptions() {
  // Chromium's sandbox refuses to start for root.
  const args = process.getuid?.() === 0 ? [...quiet, "--no-sandbox"] : quiet;
  return { executablePath: browserPath(), args };
}

/** The path of the browser: that in `$CHROMIUM`, otherwise the first one found, otherwise one installed now. */
export function browserPath() {
  const path = named() ?? installed() ?? downloaded() ?? installNow();
  if (path === undefined) {
    throw new Failure(`A Chromium or Chrome is needed and was not found: ${gettingOne()}, or name one in $CHROMIUM.`);
  }
  process.env.CHROMIUM = path;
  return path;
}

function named() {
  const path = process.env.CHROMIUM;
  if (path && !existsSync(path)) {
    throw new Failure(
      `$CHROMIUM names ${path}, which does not exist: correct it, or unset it to have a browser found.`,
    );
  }
  return path || undefined;
}

function installed() {
  return usualPlaces().find((path) => existsSync(path));
}

/** The usual places of this platform, the best first. */
function usualPlaces() {
  if (process.platform === "win32") {
    const folders = [process.env.PROGRAMFILES, process.env["PROGRAMFILES(X86)"], process.env.LOCALAPPDATA];
    const programs = ["Chromium\\Application\\chrome.exe", "Google\\Chrome\\Application\\chrome.exe"];
    return folders.flatMap((folder) => (folder ? programs.map((program) => join(folder, program)) : []));
  }
  if (process.platform === "darwin") {
    const folders = ["/Applications", join(process.env.HOME ?? "", "Applications")];
    const programs = ["Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome"];
    return folders.flatMap((folder) => programs.map((program) => join(folder, program)));
  }
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter).filter(Boolean),
    "/usr/bin",
    "/snap/bin",
    "/opt/google/chrome",
  ];
  const programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
  return programs.flatMap((program) => folders.map((folder) => join(folder, program)));
}

/** The browser that Playwright's own installer leaves in its cache. */
function downloaded() {
  const { chromium } = createRequire(import.meta.url)("playwright-core");
  const path = chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

function installNow() {
  if (!canInstall()) {
    return undefined;
  }
  say("Installing Chromium with apt-get (under a minute) …");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-qq"], { stdio: ["ignore", "inherit", "inherit"], env });
  const { status } = spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"], {
    stdio: ["ignore", "inherit", "inherit"],
    env,
  });
  return status === 0 ? installed() : undefined;
}

function canInstall() {
  return process.platform === "linux" && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
}

function gettingOne() {
  if (process.platform === "win32") {
    return "get it with `winget install Google.Chrome`";
  }
  if (process.platform === "darwin") {
    return "get it with `brew install --cask chromium`";
  }
  return existsSync("/usr/bin/apt-get")
    ? "get it with `sudo apt-get install chromium`"
    : "get it with your system's package manager";
}
