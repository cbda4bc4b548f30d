/** The benchmark: what it measures by default, how its service sends bodies, and which corpus decides. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { inRepository } from "../../tools/repository.js";
import { baseline } from "../benchmark/contenders.js";
import { corpora, repeatingTexts } from "../benchmark/corpora.js";
import { goals, verdictOn } from "../benchmark/goals.js";
import { readOptions } from "../benchmark/options.js";
import { isCounted, processorTime } from "../benchmark/processes.js";
import { Link, limitNetwork, withService } from "../benchmark/service.js";

/** Of two partitions. */
const manners = {
  page: inRepository("tests", "benchmark", "page"),
  corpus: repeatingTexts,
  findings: 500,
  partitions: 2,
  latency: 0,
};

test("the figures are measured in every corpus, and at 100 Mbit/s, too", () => {
  assert.deepEqual(readOptions(["--figures"]).corpora, Object.keys(corpora));
  assert.deepEqual(readOptions(["--figures"]).parts, ["retrieval", "start", "kept", "peak"]);
  assert.equal(readOptions(["--figures"]).network, 100);
  assert.deepEqual(readOptions(["--figures", "--engine", "webkit"]).parts, ["retrieval", "start"]);
  assert.deepEqual(readOptions(["--figures", "--corpus", "English", "--only", "peak"]).parts, ["peak"]);
});

test("what only Chromium measures is refused in other engines", () => {
  assert.throws(() => readOptions(["--engine", "firefox", "--only", "peak"]), /is for Chromium only/);
});

test("a ratio is that of the worst of the corpora", () => {
  const [goal] = goals.firefox;
  const of = (/** @type {number} */ ms) => ({ [baseline]: { "wall ms": [100] }, loadTable: { "wall ms": [ms] } });
  const retrieval = { English: of(110), "long comments": of(130), "English, 100 Mbit/s": of(150) };
  assert.deepEqual(verdictOn(goal, { retrieval })?.slice(1), ["1.30", "≤ 1.05", "≤ 0.85", "missed", "long comments"]);
  assert.equal(verdictOn(goal, {}), undefined);
});

test("a speed is that of the corpus with the least", () => {
  const goal = goals.chromium.find(([title]) => title === "bodies to a table, speed");
  const of = (/** @type {number} */ ms) => ({ "parse ms": [100], "table ms": [ms] });
  const decoding = { Chromium: { English: of(20), "long comments": of(40) } };
  assert.deepEqual(goal && verdictOn(goal, { decoding })?.slice(1), ["2.50", "≥ 2", "≥ 3.5", "must", "long comments"]);
});

for (const [bodies, length, encoding] of /** @type {const} */ ([
  ["sized", true, null],
  ["chunked", false, null],
  ["gzip", false, "gzip"],
])) {
  test(`the service sends ${bodies} bodies, limits its network, and refuses a request without its token`, async () => {
    await withService({ ...manners, bodies, token: true }, async (service) => {
      const href = `${service.url}Findings/500/Sentiment/1`;
      assert.equal((await fetch(href)).status, 401);
      for (const megabits of [undefined, 1000, undefined]) {
        await limitNetwork(service, megabits);
        const response = await fetch(href, { headers: { authorization: "Bearer test" } });
        assert.equal(response.headers.has("content-length"), length);
        assert.equal(response.headers.get("content-encoding"), encoding);
        assert.equal((await response.json()).Findings.length, 250);
      }
    });
  });
}

test("the comments of a larger inspection are distinct", async () => {
  await withService({ ...manners, bodies: "sized" }, async ({ url }) => {
    const commentOf = async (/** @type {number} */ partition) =>
      (await (await fetch(`${url}Findings/1000/Sentiment/${partition}`)).json()).Findings[0].Comment;
    const [prepared, repeated] = [await commentOf(0), await commentOf(2)];
    assert.match(prepared, /^\[00\] /);
    assert.equal(repeated, prepared.replace("[00]", "[01]"));
  });
});

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

test("the processor time of a process that this one has started counts", { skip: !isCounted }, async () => {
  const before = processorTime();
  const busy = spawn(process.execPath, ["--eval", "for (;;);"]);
  while (processorTime() - before < 50) await nextTurn();
  busy.kill();
});
