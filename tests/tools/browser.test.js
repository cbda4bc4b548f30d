/** The browsers: a variable that names one has priority, and a wrong path in it is reported. */

import assert from "node:assert/strict";
import process from "node:process";
import { afterEach, test } from "node:test";
import {
  browserPath,
  firefoxLaunchOptions,
  firefoxPath,
  launchOptions,
  wholeBrowserPath,
} from "../../tools/browser.js";

const { CHROMIUM, FIREFOX } = process.env;

afterEach(() => {
  for (const [name, value] of Object.entries({ CHROMIUM, FIREFOX })) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

for (const [name, paths] of Object.entries({
  CHROMIUM: [browserPath, wholeBrowserPath, () => launchOptions().executablePath],
  FIREFOX: [firefoxPath, () => firefoxLaunchOptions().executablePath],
})) {
  test(`$${name} has priority over every installed browser`, () => {
    process.env[name] = process.execPath;
    for (const path of paths) assert.equal(path(), process.execPath);
  });

  test(`a wrong path in $${name} is reported in one sentence`, () => {
    process.env[name] = "/nowhere/browser";
    assert.throws(paths[0], new RegExp(`^Error: \\$${name} names /nowhere/browser, which does not exist: `));
  });
}
