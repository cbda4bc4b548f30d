/** Figures and names that the documentation repeats: those of the built package, of the fake service, and of the tests. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { FindingsClient } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { dist, inRepository } from "../../tools/repository.js";
import { readDocument } from "./documents.js";

/** The files that a page loads for each row of the table of sizes, by the beginning of the row. */
const loaded = {
  "`inspection-findings`:": ["index.js", "inspection_findings_bg.wasm"],
  "`inspection-findings/inline`:": ["inline.js"],
  "`worker.js`:": ["worker.js"],
  "`inspection-findings/testing`:": ["testing.js"],
  "`inspection-findings/arrow`:": ["arrow.js"],
  "`inspection-findings/react`:": ["react.js"],
};

for (const [row, files] of Object.entries(loaded)) {
  test(`the documentation gives the size of ${files.join(" and ")}`, () => {
    const said = sizeInTable(row);
    const size = files.map((name) => brotliCompressSync(readFileSync(join(dist, name))).length).reduce((a, b) => a + b);
    // Not every change of a few hundred bytes has to change the page.
    const tolerance = Math.max(1000, size / 50);
    assert.ok(Math.abs(Number(said) * 1000 - size) <= tolerance, `${said} KB in the table, ${size} bytes`);
  });
}

test("the hooks for React take less than 2 KB", () => {
  assert.ok(brotliCompressSync(readFileSync(join(dist, "react.js"))).length < 2048);
});

test("the README gives the size that the table gives", () => {
  const [, said] = readDocument("README.md").match(/take (\d+) KB, compressed/) ?? [];
  assert.notEqual(said, undefined);
  assert.equal(said, sizeInTable("`inspection-findings`:"));
});

test("the documentation names the oldest compiler that compiles the types", () => {
  const { devDependencies } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
  const versions = Object.keys(devDependencies).flatMap((name) => name.match(/^typescript-(\d+\.\d+)$/)?.[1] ?? []);
  for (const page of ["www/docs/typescript.md", "www/docs/support.md"]) {
    assert.deepEqual(versions, [readDocument(page).match(/TypeScript (\d+\.\d+) or later/)?.[1]]);
  }
});

test("the guide names the oldest browsers that the error of an older one names", () => {
  const [, inError] = readFileSync(inRepository("src/js/module/support.ts"), "utf8").match(/"(Chrome .*)";/) ?? [];
  const guide = readDocument("www/docs/getting-started.md").replaceAll("\n", " ");
  assert.equal(guide.match(/oldest supported browsers are (Chrome.*?\d)\. /)?.[1], inError);
});

test("the guide gives the sizes of the scenarios of the fake service", async () => {
  const rows = readDocument("www/docs/testing.md").matchAll(
    /^\| `([\w-]+)` \| ([\d ]+ in \d+) \| ([\d ]+ in \d+) \|/gm,
  );
  const scenarios = Array.from(rows, ([, name, sentiment, topics]) => ({ name, sentiment, topics }));
  assert.equal(scenarios.length, 12);
  for (const { name, ...said } of scenarios) {
    const service = createFakeService({ scenario: /** @type {any} */ (name) });
    // How the service behaves does not change what it has.
    service.use({ respond: ({ correctResponse }) => correctResponse() });
    const { sentiment, topics } = await new FindingsClient({
      baseUrl: service.baseUrl,
      fetch: service.fetch,
    }).getPartitionCounts(42);
    const text = (/** @type {typeof topics} */ { findings, partitions }) =>
      `${findings?.toLocaleString("en").replaceAll(",", " ")} in ${partitions}`;
    assert.deepEqual(said, { sentiment: text(sentiment), topics: text(topics) }, name);
  }
});

/**
 * The kilobytes in a row of the table of sizes.
 * @param {string} row its beginning
 */
function sizeInTable(row) {
  return readDocument("www/docs/performance.md").match(new RegExp(`^\\| ${row}.*\\| (\\d+) KB \\|$`, "m"))?.[1];
}
