/** The engines: three browsers with one interface, a small part of Playwright's. */

import { chromium, firefox } from "playwright-core";
import { firefoxLaunchOptions, wholeLaunchOptions } from "./browser.js";
import { launchWebKit } from "./webkit.ts";

export const titles = { chromium: "Chromium", firefox: "Firefox", webkit: "WebKitGTK" } as const;

export type EngineName = keyof typeof titles;
export const engineNames = Object.keys(titles) as EngineName[];

/** A page. It shares its browser, or a context of the browser, with no other page. */
export interface Page {
  goto(url: string): Promise<unknown>;
  /** Calls a function, which uses nothing from outside, with JSON and resolves with JSON. */
  evaluate<Argument, Result>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result>;
  waitForFunction(condition: () => unknown): Promise<unknown>;
  close(): Promise<void>;
}

export interface Browser {
  /** Once a page has been opened. */
  version(): string;
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

const launchers: Record<EngineName, () => Promise<Browser>> = {
  chromium: launchChromium,
  firefox: () => firefox.launch(firefoxLaunchOptions()),
  webkit: launchWebKit,
};

/** Starts a browser. */
export function launchEngine(name: EngineName) {
  return launchers[name]();
}

/** Starts Chromium as its users have it, with an interface that is all of Playwright's. */
export function launchChromium(flags: string[] = []) {
  const { executablePath, args } = wholeLaunchOptions();
  return chromium.launch({ executablePath, args: [...args, ...flags] });
}
