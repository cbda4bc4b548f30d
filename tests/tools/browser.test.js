/** The browser: $CHROMIUM has priority, and a wrong path is reported. */

import assert from "node:assert/strict";
import process from "node:process";
import { afterEach, beforeEach, test } from "node:test";
import { browserPath, launchOptions, wholeBrowserPath } from "../../tools/browser.js";

/** @type {string | undefined} */
let named;

beforeEach(() => {
  named = process.env.CHROMIUM;
});

afterEach(() => {
  delete process.env.CHROMIUM;
  if (named !== undefined) {
    process.env.CHROMIUM = named;
  }
});

test("$CHROMIUM has priority over every installed browser", () => {
  process.env.CHROMIUM = process.execPath;
  assert.equal(browserPath(), process.execPath);
  assert.equal(wholeBrowserPath(), process.execPath);
  assert.equal(launchOptions().executablePath, process.execPath);
});

test("a wrong path in $CHROMIUM is reported in one sentence", () => {
  process.env.CHROMIUM = "/nowhere/chromium";
  assert.throws(browserPath, /^Error: \$CHROMIUM names \/nowhere\/chromium, which does not exist: /);
});
