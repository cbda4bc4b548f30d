/** The browser: the one that is named comes first, and a wrong name is said. */

import assert from "node:assert/strict";
import process from "node:process";
import { afterEach, beforeEach, test } from "node:test";
import { browserPath, launchOptions } from "../../tools/browser.js";

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

test("the browser that $CHROMIUM names wins over every installed one", () => {
  process.env.CHROMIUM = process.execPath;
  assert.equal(browserPath(), process.execPath);
  assert.equal(launchOptions().executablePath, process.execPath);
});

test("a name that leads nowhere is said in one sentence", () => {
  process.env.CHROMIUM = "/nowhere/chromium";
  assert.throws(browserPath, /^Error: \$CHROMIUM names \/nowhere\/chromium, which does not exist: /);
});
