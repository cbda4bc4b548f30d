/** Jobs side by side: in their order, no more at once than there is room for, and none before what it needs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { runSideBySide } from "../../tools/side-by-side.js";

/** Jobs that end when they are told to, and what has happened to them. */
class Jobs {
  /** @type {string[]} */
  events = [];
  /** @type {Map<string, () => void>} */
  #ends = new Map();

  /**
   * @param {string} name
   * @param {object} [rest]
   */
  job(name, rest = {}) {
    return {
      name,
      ...rest,
      run: async () => {
        this.events.push(`${name} begins`);
        await new Promise((resolve) => this.#ends.set(name, () => resolve(undefined)));
        this.events.push(`${name} ends`);
        return name.toUpperCase();
      },
    };
  }

  /** @param {string} name */
  async end(name) {
    this.#ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
    return this.events.splice(0);
  }
}

test("jobs run in their order, up to the limit at once, and their results come in that order", async () => {
  const jobs = new Jobs();
  const results = runSideBySide([jobs.job("a"), jobs.job("b"), jobs.job("c")], 2);
  assert.deepEqual(await jobs.end("nothing"), ["a begins", "b begins"]);
  assert.deepEqual(await jobs.end("b"), ["b ends", "c begins"]);
  assert.deepEqual(await jobs.end("c"), ["c ends"]);
  assert.deepEqual(await jobs.end("a"), ["a ends"]);
  assert.deepEqual(await results, ["A", "B", "C"]);
});

test("one that waits for another is overtaken, and one that is not among them is not waited for", async () => {
  const jobs = new Jobs();
  const results = runSideBySide(
    [jobs.job("a"), jobs.job("b", { after: ["a"] }), jobs.job("c", { after: ["elsewhere"] })],
    2,
  );
  assert.deepEqual(await jobs.end("nothing"), ["a begins", "c begins"]);
  assert.deepEqual(await jobs.end("c"), ["c ends"]);
  assert.deepEqual(await jobs.end("a"), ["a ends", "b begins"]);
  await jobs.end("b");
  assert.deepEqual(await results, ["A", "B", "C"]);
});

test("of those that hold the same thing one at a time", async () => {
  const jobs = new Jobs();
  const results = runSideBySide([jobs.job("a", { mutex: "x" }), jobs.job("b", { mutex: "x" }), jobs.job("c")], 3);
  assert.deepEqual(await jobs.end("nothing"), ["a begins", "c begins"]);
  assert.deepEqual(await jobs.end("a"), ["a ends", "b begins"]);
  await jobs.end("b");
  await jobs.end("c");
  assert.equal((await results).length, 3);
});

test("nothing beside one that has to be alone", async () => {
  const jobs = new Jobs();
  const results = runSideBySide([jobs.job("a"), jobs.job("b", { alone: true }), jobs.job("c", { after: ["b"] })], 3);
  assert.deepEqual(await jobs.end("nothing"), ["a begins"]);
  assert.deepEqual(await jobs.end("a"), ["a ends", "b begins"]);
  assert.deepEqual(await jobs.end("b"), ["b ends", "c begins"]);
  await jobs.end("c");
  assert.equal((await results).length, 3);
});

test("those that wait for each other are an error, not silence", async () => {
  const jobs = new Jobs();
  const circle = [jobs.job("a", { after: ["b"] }), jobs.job("b", { after: ["a"] })];
  await assert.rejects(runSideBySide(circle, 2), /wait for each other: a, b\./);
});
