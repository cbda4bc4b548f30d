/** The benchmark: what it measures by default, how its service sends bodies, and which corpus decides. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { countingCorpora } from "../benchmark/corpus-names.js";
import { readOptions } from "../benchmark/options.js";
import { withService } from "../benchmark/service.js";
import { targets, worstOf } from "../benchmark/targets.js";

test("the figures are measured in every corpus that counts, and in Chromium at 100 Mbit/s, too", () => {
  assert.deepEqual(readOptions(["--figures"]).corpora, countingCorpora);
  assert.deepEqual(readOptions(["--figures"]).parts, ["retrieval", "start", "kept", "peak"]);
  assert.equal(readOptions(["--figures"]).network, 100);
  assert.deepEqual(readOptions(["--figures", "--engine", "webkit"]).parts, ["retrieval", "start"]);
  assert.equal(readOptions(["--figures", "--engine", "webkit"]).network, undefined);
  assert.deepEqual(readOptions(["--figures", "--corpus", "English", "--only", "peak"]).parts, ["peak"]);
});

test("what only Chromium measures is refused in other engines", () => {
  for (const words of ["--network 100", "--only peak"]) {
    assert.throws(() => readOptions(["--engine", "firefox", ...words.split(" ")]), /is for Chromium only/);
  }
});

test("a ratio is that of the worst of the corpora that count", () => {
  const [target] = targets.firefox;
  const times = { English: 110, "long comments": 130, "a finding a comment": 900 };
  const retrieval = Object.fromEntries(
    Object.entries(times).map(([corpus, time]) => [
      corpus,
      { promiseAll: { "wall ms": [100] }, loadTable: { "wall ms": [time] } },
    ]),
  );
  assert.deepEqual(worstOf(target, { retrieval }), { value: 1.3, corpus: "long comments" });
  assert.equal(worstOf(target, {}), undefined);
});

for (const [bodies, length, encoding] of /** @type {const} */ ([
  ["sized", true, null],
  ["chunked", false, null],
  ["gzip", false, "gzip"],
])) {
  test(`the service sends ${bodies} bodies, and refuses a request without its token`, async () => {
    const options = readOptions(["--bodies", bodies, "--latency", "0"]);
    const setting = { options, page: inRepository("tests", "benchmark", "page") };
    /** @type {Parameters<typeof withService>[1]} */
    const check = async ({ url, findings }) => {
      const href = `${url}Findings/${findings}/Sentiment/1`;
      assert.equal((await fetch(href)).status, 401);
      const response = await fetch(href, { headers: { authorization: "Bearer test" } });
      assert.equal(response.headers.has("content-length"), length);
      assert.equal(response.headers.get("content-encoding"), encoding);
      assert.equal((await response.json()).Findings.length, 250);
    };
    await withService(setting, check, { findings: 500, partitions: 2, token: true });
  });
}
