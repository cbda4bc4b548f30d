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
  for (const { pid, exitCode, signalCode } of started) {
    if (exitCode === null && signalCode === null) process.kill(-Number(pid), "SIGKILL");
  }
});

test("the printed URL serves the demo, a second start uses another port, and each ends by its signal", {
  timeout: 120_000,
}, async () => {
  const starts = [await start(), await start()];
  assert.notEqual(starts[0].address, starts[1].address);
  for (const { address } of starts) assert.match(await (await fetch(address)).text(), /<title>.*findings.*<\/title>/is);
  for (const [index, signal] of /** @type {const} */ (["SIGTERM", "SIGINT"]).entries()) {
    const { child, address } = starts[index];
    child.kill(signal);
    const [status, endedBy] = await once(child, "exit");
    const told = 128 + constants.signals[signal];
    assert.ok(status === told || endedBy === signal, `status ${status}, signal ${endedBy}`);
    assert.throws(() => process.kill(-Number(child.pid), 0), { code: "ESRCH" }, "a process of its group is left");
    // Its port is free.
    const successor = createServer().listen(Number(new URL(address).port), "localhost");
    await once(successor, "listening");
    successor.close();
  }
});

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
    if (address !== undefined) return { child, address };
  }
  throw new Error(`The start ended without an address: ${output}`);
}
