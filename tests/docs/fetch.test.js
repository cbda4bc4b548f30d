/** What the README's lines with `fetch`, and the package, make of a partition that is wrong: its table says it. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { FindingsError, getFindings } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { inRepository } from "../../tools/repository.js";
import { blocksIn, readDocument } from "./documents.js";

/** @typedef {import("inspection-findings/testing").FakeRequest} FakeRequest */

const page = "README.md";
const [{ code }] = blocksIn(page).filter(({ marks }) => marks.includes("by=tests/docs/fetch.test.js"));
const folder = inRepository("target", "programs");
mkdirSync(folder, { recursive: true });
const program = join(folder, "fetch.mjs");
writeFileSync(program, `${code}\nexport { findings };\n`);

const partitions = [0, 1, 2].map((index) =>
  Array.from({ length: 100 }, (_, row) => ({ StringKey: 100 * index + row, Comment: "late" })),
);
const baseUrl = "https://service.example/cxi/";
const service = createFakeService({ baseUrl, sentiment: partitions });

/**
 * What partition 1 responds with, by the first cell of a row of the table; the correct response if it is undefined.
 * @type {Record<string, (request: FakeRequest) => Response | undefined>}
 */
const mistakes = {
  'has `{"errors": ["Overloaded"]}`': () => Response.json({ errors: ["Overloaded"] }),
  "has an empty body once": ({ count }) => (count === 1 ? new Response("") : undefined),
  "has status 503 once": ({ count }) =>
    count === 1 ? new Response("<h1>Service Unavailable</h1>", { status: 503 }) : undefined,
  "lacks a finding": () => Response.json({ Findings: partitions[1].slice(1) }),
};

const { fetch } = globalThis;
after(() => {
  globalThis.fetch = fetch;
});

const rows = readDocument(page).matchAll(/^\| ((?:has|lacks) .*?) \| (.*?) \| (.*?) \|$/gm);
const said = new Map(Array.from(rows, ([, mistake, byFetch, byPackage]) => [mistake, [byFetch, byPackage]]));

test("the table has each mistake", () => {
  assert.deepEqual([...said.keys()], Object.keys(mistakes));
});

for (const [mistake, response] of Object.entries(mistakes)) {
  test(`where a partition ${mistake}, both do what the README says`, async () => {
    const respond = (/** @type {FakeRequest} */ request) =>
      request.partitionIndex === 1 ? response(request) : undefined;
    service.use({ respond });
    globalThis.fetch = service.fetch;
    // Each query runs the lines again.
    const lines = `${pathToFileURL(program)}?${encodeURIComponent(mistake)}`;
    const byFetch = await import(lines).then(({ findings }) => findings, thrown);
    service.use({ respond });
    const byPackage = await getFindings(42, "sentiment", { baseUrl, fetch: service.fetch }).catch(thrown);
    assert.deepEqual([outcomeOf(byFetch), outcomeOf(byPackage)], said.get(mistake));
  });
}

/** @param {Error} error */
function thrown(error) {
  return error;
}

/**
 * A cell of the table.
 * @param {unknown[] | Error} result
 */
function outcomeOf(result) {
  if (result instanceof FindingsError) {
    const messages = result.messages?.map((message) => `, "${message}"`) ?? [];
    return `rejects: \`${result.code}\`${messages.join("")}`;
  }
  if (result instanceof Error) return `\`${result.name}\``;
  const absent = result.filter((finding) => finding === undefined).length;
  const total = result.length === 300 ? "300 findings" : `${result.length} instead of 300 findings`;
  return absent === 1 ? `${total}, one is undefined` : total;
}
