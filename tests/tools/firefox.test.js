/** Firefox: $FIREFOX has priority, and a wrong path is reported. */

import assert from "node:assert/strict";
import process from "node:process";
import { afterEach, beforeEach, test } from "node:test";
import { firefoxLaunchOptions, firefoxPath } from "../../tools/firefox.js";

/** @type {string | undefined} */
let named;

beforeEach(() => {
  named = process.env.FIREFOX;
});

afterEach(() => {
  delete process.env.FIREFOX;
  if (named !== undefined) {
    process.env.FIREFOX = named;
  }
});

test("$FIREFOX has priority over every installed Firefox", () => {
  process.env.FIREFOX = process.execPath;
  assert.equal(firefoxPath(), process.execPath);
  assert.equal(firefoxLaunchOptions().executablePath, process.execPath);
});

test("a wrong path in $FIREFOX is reported in one sentence", () => {
  process.env.FIREFOX = "/nowhere/firefox";
  assert.throws(firefoxPath, /^Error: \$FIREFOX names \/nowhere\/firefox, which does not exist: /);
});
