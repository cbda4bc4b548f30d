/** The browsers of the tests: a Chromium or Chrome, and Firefox, found in the usual places or installed. */

import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { Failure, isStarted, run, script } from "./command.js";
import { findProgram, installWithApt, pathFromEnv } from "./programs.js";
import { inRepository } from "./repository.js";

/** Options against requests of the browser itself, such as for updates at every start. */
const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/** Chromium without windows, which Playwright prefers, too: a new context takes half a second less of processor time. */
const shells = ["chromium-headless-shell", "chrome-headless-shell"];

/** Where browsers are that are in no folder of `PATH`, on Linux and on macOS. */
const folders = ["/snap/bin", "/opt/google/chrome", "/Applications", join(homedir(), "Applications")];

/**
 * How Playwright and Vitest start a browser.
 * @returns {{ executablePath: string, args: string[] }}
 */
export function launchOptions(executablePath = browserPath()) {
  // Chromium's sandbox refuses to start for root.
  const args = process.getuid?.() === 0 ? [...quiet, "--no-sandbox"] : quiet;
  return { executablePath, args };
}

/** How Playwright and Vitest start Firefox: over WebDriver BiDi, so that it need not be a build of theirs. */
export function firefoxLaunchOptions() {
  return { channel: "moz-firefox", executablePath: firefoxPath() };
}

/** Installs the browser without windows where apt-get has it, in another process, unless $CHROMIUM names one. */
export async function ensureShell() {
  if (pathFromEnv("CHROMIUM") === undefined && findProgram(shells) === undefined) {
    await run(process.execPath, [inRepository("tools", "browser.js")]);
  }
}

/** The path of the browser: that in `$CHROMIUM`, otherwise one without windows, otherwise any. */
export function browserPath() {
  const shell = findProgram(shells);
  if (!process.env.CHROMIUM && shell !== undefined) process.env.CHROMIUM = shell;
  return wholeBrowserPath();
}

/** The path of a browser with its windows: that in `$CHROMIUM`, otherwise the first one found, otherwise one installed now. */
export function wholeBrowserPath() {
  const { chromium } = createRequire(import.meta.url)("playwright-core");
  return ensureBrowser("Chromium or Chrome", "CHROMIUM", "chromium", [
    ...["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
    ...["Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome"],
    // What Playwright's own installer leaves in its cache.
    chromium.executablePath(),
  ]);
}

/** The path of Firefox: that in `$FIREFOX`, otherwise the first one found, otherwise one installed now. */
export function firefoxPath() {
  const names = ["firefox-esr", "firefox", "Firefox.app/Contents/MacOS/firefox"];
  return ensureBrowser("Firefox", "FIREFOX", "firefox-esr", names);
}

/**
 * @param {string} title
 * @param {string} variable that names one, also for the processes that are started from here
 * @param {string} debian the package of Debian that has one
 * @param {string[]} names
 */
function ensureBrowser(title, variable, debian, names) {
  const found = pathFromEnv(variable) ?? findProgram(names, folders);
  if (found === undefined) installWithApt(title, [debian]);
  const path = found ?? findProgram(names, folders);
  if (path === undefined) {
    throw new Failure(
      `${title} is needed and was not found: get it with \`sudo apt-get install ${debian}\` or from its website, or name one in $${variable}.`,
    );
  }
  process.env[variable] = path;
  return path;
}

if (isStarted(import.meta.url)) {
  await script(async () => installWithApt("Chromium's headless shell", shells.slice(0, 1)));
}
