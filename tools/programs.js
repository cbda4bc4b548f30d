/** The browsers and the server of the tests, and what else of the system they need: named by a variable, or found in the usual places. */

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import process from "node:process";
import { Failure } from "./command.js";

/**
 * The packages of Debian that the set-up installs: the programs of each, the best first, and whether the quick tier of the tests needs it.
 * Playwright prefers Chromium without windows, too: a new context takes half a second less of processor time.
 * @type {Record<string, { names: string[], isQuick?: boolean }>}
 */
export const debian = {
  "chromium-headless-shell": { names: ["chromium-headless-shell", "chrome-headless-shell"], isQuick: true },
  chromium: {
    names: [
      ...["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
      ...["Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome"],
    ],
  },
  "firefox-esr": { names: ["firefox-esr", "firefox", "Firefox.app/Contents/MacOS/firefox"] },
  "webkit2gtk-driver": { names: ["WebKitWebDriver"] },
  xvfb: { names: ["Xvfb"] },
  "nginx-light": { names: ["nginx"] },
  "r-base-core": { names: ["Rscript"] },
};

/** Where programs are that are in no folder of `PATH`, on Linux and on macOS. */
const folders = [
  "/usr/bin",
  "/usr/sbin",
  "/snap/bin",
  "/opt/google/chrome",
  "/Applications",
  join(homedir(), "Applications"),
];

/**
 * Returns the path of the first of the programs that is in a folder of `PATH` or in another usual one.
 * @param {string[]} names or paths
 * @param {string[]} [others] further folders
 */
export function findProgram(names, others = folders) {
  const all = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), ...others];
  return names.flatMap((name) => all.map((folder) => resolve(folder, name))).find(existsSync);
}

/**
 * Returns the path of a program: that in a variable, otherwise the first one found.
 * @param {string} title
 * @param {string[]} names
 * @param {string} [variable]
 */
export function programPath(title, names, variable = "") {
  const named = process.env[variable];
  if (named && !existsSync(named)) {
    throw new Failure(
      `$${variable} names ${named}, which does not exist: correct it, or unset it to have a browser found.`,
    );
  }
  const path = named || findProgram(names);
  if (path !== undefined) return path;
  const other = variable && `, or name one in $${variable}`;
  throw new Failure(
    `${title} is needed and was not found: \`npm run setup\` installs it on Debian; elsewhere, get it from its website${other}.`,
  );
}
