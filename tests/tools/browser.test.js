/** The browsers: a variable that names one has priority, and a wrong path in it is reported. */

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { firefoxLaunchOptions, launchOptions, wholeLaunchOptions } from "../../tools/browser.js";

for (const [name, launches] of Object.entries({
  CHROMIUM: [launchOptions, wholeLaunchOptions],
  FIREFOX: [firefoxLaunchOptions],
})) {
  test(`$${name} has priority over every installed browser, and a wrong path in it is reported in one sentence`, () => {
    for (const options of launches) {
      process.env[name] = process.execPath;
      assert.equal(options().executablePath, process.execPath);
      process.env[name] = "/nowhere/browser";
      assert.throws(options, new RegExp(`^Error: \\$${name} names /nowhere/browser, which does not exist: `));
    }
  });
}
