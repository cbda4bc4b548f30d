/** The engines: three browsers with one interface, a small part of Playwright's. */

import { chromium, firefox } from "playwright-core";
import { firefoxLaunchOptions, wholeLaunchOptions } from "./browser.js";
import { launchWebKit } from "./webkit.ts";

/** @typedef {keyof typeof titles} EngineName */

/**
 * @typedef {object} Page in a browser or a context of its own
 * @property {(url: string) => Promise<unknown>} goto
 * @property {<Argument, Result>(work: (argument: Argument) => Result | Promise<Result>, argument: Argument) => Promise<Result>} evaluate
 *   calls a function, which uses nothing from outside, with JSON and resolves with JSON
 * @property {(condition: () => unknown) => Promise<unknown>} waitForFunction
 * @property {() => Promise<void>} close
 */

/**
 * @typedef {object} Browser
 * @property {() => string} version once a page has been opened
 * @property {() => Promise<Page>} newPage
 * @property {() => Promise<void>} close
 */

export const titles = /** @type {const} */ ({ chromium: "Chromium", firefox: "Firefox", webkit: "WebKitGTK" });

export const engineNames = /** @type {EngineName[]} */ (Object.keys(titles));

/** @type {Record<EngineName, () => Promise<Browser>>} */
const launchers = {
  chromium: launchChromium,
  firefox: () => firefox.launch(firefoxLaunchOptions()),
  webkit: launchWebKit,
};

/**
 * Starts a browser.
 * @param {EngineName} name
 */
export function launchEngine(name) {
  return launchers[name]();
}

/**
 * Starts Chromium as its users have it, with an interface that is all of Playwright's.
 * @param {string[]} [flags]
 */
export function launchChromium(flags = []) {
  const { executablePath, args } = wholeLaunchOptions();
  return chromium.launch({ executablePath, args: [...args, ...flags] });
}
