/** The start: prints the address of the demo, also beside other servers, and ends on a signal. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { constants } from "node:os";
import process from "node:process";
import { after, test } from "node:test";
import { inRepository } from "../../tools/repository.js";

/** @type {import("node:child_process").ChildProcess[]} */
const started = [];

after(() => {
  for (const child of started.filter(isRunning)) {
    process.kill(-Number(child.pid), "SIGKILL");
  }
});

test("the printed URL serves the demo, and a second start uses another port", {
  timeout: 120_000,
}, async () => {
  const [first, second] = [await start(), await start()];
  assert.notEqual(first.address, second.address);
  for (const { address } of [first, second]) {
    const response = await fetch(address);
    assert.equal(response.status, 200);
    assert.match(await response.text(), /<title>.*[Ff]indings.*<\/title>/s);
  }
});

for (const signal of /** @type {const} */ (["SIGTERM", "SIGINT"])) {
  test(`ends by ${signal}, leaves no process, and frees its port`, {
    timeout: 120_000,
    skip: process.platform === "win32",
  }, async () => {
    const { child, address } = await start();
    assert.equal((await fetch(address)).status, 200);
    child.kill(signal);
    const [status, endedBy] = await once(child, "exit");
    const told = 128 + constants.signals[signal];
    assert.ok(status === told || endedBy === signal, `status ${status}, signal ${endedBy}`);
    assert.throws(() => process.kill(-Number(child.pid), 0), { code: "ESRCH" }, "a process of its group is left");
    const successor = createServer().listen(Number(new URL(address).port), "localhost");
    await once(successor, "listening");
    successor.close();
  });
}

/** @param {import("node:child_process").ChildProcess} child */
function isRunning({ exitCode, signalCode }) {
  return exitCode === null && signalCode === null;
}

/** Starts the demo as `npm start` does, in its own process group, and returns the address that it prints. */
async function start() {
  const child = spawn(process.execPath, [inRepository("tools", "start.js")], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  started.push(child);
  let output = "";
  for await (const text of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    output += text;
    const address = output.match(/^The demo is at (http:\S+)/m)?.[1];
    if (address !== undefined) {
      return { child, address };
    }
  }
  throw new Error(`The start ended without an address: ${output}`);
}
