/** The browser of the tests: a Chromium or Chrome, found in the usual places or installed. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { Failure, isStarted, run, script } from "./command.js";
import { findProgram, hasApt, installWithApt, pathFromEnv } from "./programs.js";
import { inRepository } from "./repository.js";

/** Options against requests of the browser itself, such as for updates at every start. */
const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/** Chromium without windows, which Playwright prefers, too: a new context takes half a second less of processor time. */
const shells = ["chromium-headless-shell", "chrome-headless-shell"];

/**
 * How Playwright and Vitest start a browser.
 * @returns {{ executablePath: string, args: string[] }}
 */
export function launchOptions(executablePath = browserPath()) {
  // Chromium's sandbox refuses to start for root.
  const args = process.getuid?.() === 0 ? [...quiet, "--no-sandbox"] : quiet;
  return { executablePath, args };
}

/** Installs the browser without windows where apt-get has it, in another process, unless $CHROMIUM names one. */
export async function ensureShell() {
  if (pathFromEnv("CHROMIUM") === undefined && findProgram(shells) === undefined) {
    await run(process.execPath, [inRepository("tools", "browser.js")]);
  }
}

/** The path of the browser: that in `$CHROMIUM`, otherwise one without windows, otherwise any. */
export function browserPath() {
  const path = pathFromEnv("CHROMIUM") ?? findProgram(shells);
  if (path === undefined) return wholeBrowserPath();
  process.env.CHROMIUM = path;
  return path;
}

/** The path of a browser with its windows: that in `$CHROMIUM`, otherwise the first one found, otherwise one installed now. */
export function wholeBrowserPath() {
  const path = pathFromEnv("CHROMIUM") ?? installed() ?? downloaded() ?? installNow();
  if (path === undefined) {
    throw new Failure(`A Chromium or Chrome is needed and was not found: ${gettingOne()}, or name one in $CHROMIUM.`);
  }
  process.env.CHROMIUM = path;
  return path;
}

function installed() {
  if (process.platform === "win32") {
    const folders = [process.env.PROGRAMFILES, process.env["PROGRAMFILES(X86)"], process.env.LOCALAPPDATA];
    const programs = ["Chromium\\Application\\chrome.exe", "Google\\Chrome\\Application\\chrome.exe"];
    return findProgram(
      programs,
      folders.flatMap((folder) => folder ?? []),
    );
  }
  if (process.platform === "darwin") {
    const folders = ["/Applications", join(process.env.HOME ?? "", "Applications")];
    return findProgram(
      ["Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome"],
      folders,
    );
  }
  const programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
  return findProgram(programs, ["/snap/bin", "/opt/google/chrome"]);
}

/** The browser that Playwright's own installer leaves in its cache. */
function downloaded() {
  const { chromium } = createRequire(import.meta.url)("playwright-core");
  const path = chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

function installNow() {
  return installWithApt("Chromium", ["chromium"]) ? installed() : undefined;
}

function gettingOne() {
  if (process.platform === "win32") {
    return "get it with `winget install Google.Chrome`";
  }
  if (process.platform === "darwin") {
    return "get it with `brew install --cask chromium`";
  }
  return hasApt() ? "get it with `sudo apt-get install chromium`" : "get it with your system's package manager";
}

if (isStarted(import.meta.url)) {
  await script(async () => installWithApt("Chromium's headless shell", shells.slice(0, 1)));
}
