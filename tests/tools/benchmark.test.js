/** The benchmark: what it measures by default, how its service sends bodies, and which corpus decides. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { inRepository } from "../../tools/repository.js";
import { corpusNames } from "../benchmark/corpus-names.js";
import { Link } from "../benchmark/link.js";
import { readOptions } from "../benchmark/options.js";
import { isCounted, processorTime } from "../benchmark/processes.js";
import { limitNetwork, withService } from "../benchmark/service.js";
import { targets, worstOf } from "../benchmark/targets.js";

test("the figures are measured in every corpus, and at 100 Mbit/s, too", () => {
  assert.deepEqual(readOptions(["--figures"]).corpora, corpusNames);
  assert.deepEqual(readOptions(["--figures"]).parts, ["retrieval", "start", "kept", "peak"]);
  assert.equal(readOptions(["--figures"]).network, 100);
  assert.deepEqual(readOptions(["--figures", "--engine", "webkit"]).parts, ["retrieval", "start"]);
  assert.deepEqual(readOptions(["--figures", "--corpus", "English", "--only", "peak"]).parts, ["peak"]);
});

test("what only Chromium measures is refused in other engines", () => {
  assert.throws(() => readOptions(["--engine", "firefox", "--only", "peak"]), /is for Chromium only/);
});

test("a ratio is that of the worst of the corpora", () => {
  const [target] = targets.firefox;
  const times = { English: 110, "long comments": 130 };
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

test("a slow link sends the pieces of all connections in turns, at its rate", async () => {
  let now = 1000;
  const wait = async (/** @type {number} */ milliseconds) => {
    const due = now + milliseconds;
    await undefined;
    now = Math.max(now, due);
  };
  const link = new Link(8, { now: () => now, wait });
  /** @type {string[]} */
  const order = [];
  const responseOf = (/** @type {string} */ name) =>
    /** @type {any} */ ({ write: () => order.push(name), end: () => order.push(`${name} ends`) });
  const body = Buffer.alloc(64 * 1024);
  await Promise.all(["a", "b"].map((name) => link.deliver(responseOf(name), body)));
  assert.deepEqual(order, ["a", "b", "a", "b", "a", "b", "a", "a ends", "b", "b ends"]);
  // 8 Mbit/s are 1000 bytes in a millisecond; 64 KiB are sent at once.
  assert.equal(now, 1065.536);
});

test("the service limits its network, and lifts the limit", async () => {
  const setting = { options: readOptions(["--latency", "0"]), page: inRepository("tests", "benchmark", "page") };
  const check = async (/** @type {import("../benchmark/service.js").Service} */ service) => {
    const load = async () => (await (await fetch(`${service.url}Findings/500/Sentiment/1`)).json()).Findings.length;
    await limitNetwork(service, 1000);
    assert.equal(await load(), 250);
    await limitNetwork(service);
    assert.equal(await load(), 250);
  };
  await withService(setting, check, { findings: 500, partitions: 2 });
});

test("the processor time of a process that this one has started counts", { skip: !isCounted }, async () => {
  const before = processorTime();
  const busy = spawn(process.execPath, ["--eval", "for (;;);"]);
  while (processorTime() - before < 50) await nextTurn();
  busy.kill();
});
