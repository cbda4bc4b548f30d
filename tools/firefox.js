/** Firefox, found in the usual places or installed. */

import { join } from "node:path";
import process from "node:process";
import { Failure } from "./command.js";
import { findProgram, hasApt, installWithApt, pathFromEnv } from "./programs.js";

/** How Playwright and Vitest start it: over WebDriver BiDi, so that it need not be a build of theirs. */
export function firefoxLaunchOptions() {
  return { channel: "moz-firefox", executablePath: firefoxPath() };
}

/** The path of Firefox: that in `$FIREFOX`, otherwise the first one found, otherwise one installed now. */
export function firefoxPath() {
  const path = pathFromEnv("FIREFOX") ?? installed() ?? installNow();
  if (path === undefined) {
    const getting = hasApt() ? "get it with `sudo apt-get install firefox-esr`" : "get it from https://www.mozilla.org";
    throw new Failure(`Firefox is needed and was not found: ${getting}, or name one in $FIREFOX.`);
  }
  process.env.FIREFOX = path;
  return path;
}

function installed() {
  if (process.platform === "win32") {
    return findProgram(["Mozilla Firefox\\firefox.exe"], [process.env.PROGRAMFILES ?? ""]);
  }
  if (process.platform === "darwin") {
    const folders = ["/Applications", join(process.env.HOME ?? "", "Applications")];
    return findProgram(["Firefox.app/Contents/MacOS/firefox"], folders);
  }
  return findProgram(["firefox-esr", "firefox"], ["/snap/bin"]);
}

function installNow() {
  return installWithApt("Firefox", ["firefox-esr"]) ? installed() : undefined;
}
