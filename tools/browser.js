/** The browsers of the tests: a Chromium or Chrome, and Firefox. */

import process from "node:process";
import { chromium } from "playwright-core";
import { debian, programPath } from "./programs.js";

/** Options against requests of the browser itself, such as for updates at every start. */
const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

// What Playwright's own installer leaves in its cache comes last.
const whole = [...debian.chromium.names, chromium.executablePath()];

/** How Playwright and Vitest start a browser: one without windows, where there is one. */
export function launchOptions(executablePath = chromiumPath([...debian["chromium-headless-shell"].names, ...whole])) {
  // Chromium's sandbox refuses to start for root.
  const args = process.getuid?.() === 0 ? [...quiet, "--no-sandbox"] : quiet;
  return { executablePath, args };
}

/** How Playwright starts a browser with its windows. */
export function wholeLaunchOptions() {
  return launchOptions(chromiumPath(whole));
}

/** How Playwright and Vitest start Firefox: over WebDriver BiDi, so that it need not be a build of theirs. */
export function firefoxLaunchOptions() {
  return { channel: "moz-firefox", executablePath: programPath("Firefox", debian["firefox-esr"].names, "FIREFOX") };
}

/** @param {string[]} names */
function chromiumPath(names) {
  return programPath("Chromium or Chrome", names, "CHROMIUM");
}
