/** The start: prints an address at which the demo is, whatever else is running, and ends when it is told to. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { after, test } from "node:test";
import { inRepository } from "../../tools/repository.js";

/** @type {import("node:child_process").ChildProcess[]} */
const started = [];

after(() => {
  for (const child of started) {
    child.kill("SIGKILL");
  }
});

test("the printed address serves the demo, and a second start finds a port of its own", {
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

test("it ends when it is told to", { timeout: 120_000, skip: process.platform === "win32" }, async () => {
  const { child } = await start();
  child.kill("SIGTERM");
  // Within the time of the test, that is: Vite chooses the status.
  await once(child, "exit");
});

/** Starts the demo as `npm start` does, and gives the address that it prints. */
async function start() {
  const child = spawn(process.execPath, [inRepository("tools", "start.js")], { stdio: ["ignore", "pipe", "inherit"] });
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
