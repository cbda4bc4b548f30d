/** The totals of each runner: every failure counts. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { packageCommand } from "../../tools/command.js";
import { target } from "../../tools/repository.js";
import { inLightOf, ofCargo, ofCheck, ofNode, ofPlaywright, ofVitest, sum } from "../../tools/test-summary.js";

test("every program of cargo test counts, coloured or not, and failures are named", () => {
  const output = [
    "test column::tests::packs ... ok",
    "test strings::tests::are_stored_once ... \u001b[31mFAILED\u001b[0m",
    "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
    "test result: \u001b[31mFAILED\u001b[0m. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
  ].join("\n");
  assert.deepEqual(ofCargo(output), { passed: 15, failed: 2, failures: ["strings::tests::are_stored_once"] });
});

test("a cancelled test of Node's runner has failed", () => {
  assert.partialDeepStrictEqual(ofNode("ℹ tests 6\nℹ pass 3\nℹ fail 1\nℹ cancelled 2\n"), { passed: 3, failed: 3 });
});

test("a failure of Node's runner is named once, although its reporter prints it twice", () => {
  const told = "✖ the package starts (12.5ms)";
  const output = `✔ another (1ms)\n${told}\nℹ pass 1\nℹ fail 1\n\n✖ failing tests:\n\n${told}\n`;
  assert.deepEqual(ofNode(output), { passed: 1, failed: 1, failures: ["the package starts"] });
});

test("a file that Vitest cannot run counts as a failure, and is named", () => {
  const failed = {
    status: "failed",
    fullName: "a table keeps",
    failureMessages: ["Error: not kept\n    at table.js:1"],
  };
  const report = {
    numPassedTests: 4,
    numFailedTests: 1,
    testResults: [
      { status: "failed", name: "broken.test.js", message: "no such module", assertionResults: [] },
      { status: "failed", assertionResults: [failed, { status: "passed", fullName: "a table frees" }] },
    ],
  };
  const failures = ["broken.test.js\nno such module", "a table keeps\nError: not kept"];
  assert.deepEqual(ofVitest(report), { passed: 4, failed: 2, failures });
});

test("a test of Vitest that passes only in a second run counts as a failure, and is named as flaky", () => {
  const failureMessages = ["Error: too late\n    at table.js:1"];
  const report = {
    numPassedTests: 2,
    numFailedTests: 0,
    testResults: [
      {
        status: "passed",
        assertionResults: [
          { status: "passed", fullName: "a table keeps", failureMessages },
          { status: "passed", fullName: "a table frees", failureMessages: [] },
        ],
      },
    ],
  };
  assert.deepEqual(ofVitest(report), { passed: 1, failed: 1, failures: ["a table keeps (flaky)\nError: too late"] });
});

test("Vitest's own report of a second run counts as a failure", () => {
  const folder = mkdtempSync(join(target, "totals-"));
  try {
    writeFileSync(join(folder, "vitest.config.js"), "export default { root: import.meta.dirname };");
    writeFileSync(
      join(folder, "again.test.js"),
      `import { expect, test } from "vitest";
      let times = 0;
      test("passes at the second time", { retry: 1 }, () => expect(++times).toBe(2));
      test("passes at once", { retry: 1 }, () => {});
      test.fails("fails as it should", () => expect.fail());`,
    );
    const report = join(folder, "report.json");
    const parameters = ["run", "--config", join(folder, "vitest.config.js"), "--reporter=json"];
    spawnSync(process.execPath, [packageCommand("vitest"), ...parameters, `--outputFile=${report}`]);
    assert.partialDeepStrictEqual(ofVitest(JSON.parse(readFileSync(report, "utf8"))), { passed: 2, failed: 1 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a flaky test and an error outside every test of Playwright count as failures, and are named", () => {
  const error = { message: "\u001b[31mno row\u001b[39m\n  expected one" };
  const specs = [
    { title: "a row is shown", ok: false, tests: [{ status: "unexpected", results: [{ error }] }] },
    { title: "a row is hidden", ok: true, tests: [{ status: "expected", results: [{}] }] },
    { title: "a row is sorted", ok: true, tests: [{ status: "flaky", results: [{ error }, {}] }] },
  ];
  const report = {
    stats: { expected: 7, unexpected: 1, flaky: 1, skipped: 0 },
    suites: [{ title: "list.spec.ts", suites: [{ title: "the list", specs }] }],
    errors: [{ message: "no server" }],
  };
  const failures = [
    "list.spec.ts › the list › a row is shown\nno row",
    "list.spec.ts › the list › a row is sorted (flaky)\nno row",
    "outside every test\nno server",
  ];
  assert.deepEqual(ofPlaywright(report), { passed: 7, failed: 3, failures });
});

test("a runner that ends with an error counts as a failure", () => {
  assert.deepEqual(inLightOf({ passed: 9, failed: 0 }, 1), { passed: 9, failed: 1 });
  assert.deepEqual(inLightOf({ passed: 9, failed: 2 }, 1), { passed: 9, failed: 2 });
});

test("a runner without tests counts as a failure", () => {
  assert.deepEqual(inLightOf({ passed: 0, failed: 0 }, 0), { passed: 0, failed: 1 });
});

test("a check counts as one test", () => {
  assert.deepEqual(sum([ofCheck(0), ofCheck(0), ofCheck(101)]), { passed: 2, failed: 1 });
});
