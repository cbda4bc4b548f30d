/** The network namespace of a command, where the machine allows one. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import process from "node:process";
import { test } from "node:test";
import { inOwnNetwork } from "../../tools/network.js";

const isPossible = inOwnNetwork(["true"])[0] === "unshare";

test("a command in it keeps its parameters and its status, and reaches its own ports", () => {
  const script = `
    const server = require("node:http").createServer((_, response) => response.end("reached")).listen(0, "127.0.0.1", async () => {
      console.log(await (await fetch("http://127.0.0.1:" + server.address().port)).text(), process.argv[1]);
      process.exit(7);
    });`;
  const [program, ...parameters] = inOwnNetwork([process.execPath, "-e", script, "a 'parameter'"]);
  const { status, stdout } = spawnSync(program, parameters, { encoding: "utf8" });
  assert.deepEqual([status, stdout], [7, "reached a 'parameter'\n"]);
});

test("a command in it does not reach the ports of the machine", { skip: !isPossible }, async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const script = `fetch("http://127.0.0.1:${port}").catch(({ cause }) => console.log(cause.code))`;
  const [program, ...parameters] = inOwnNetwork([process.execPath, "-e", script]);
  const { stdout } = spawnSync(program, parameters, { encoding: "utf8" });
  server.close();
  assert.equal(stdout, "ECONNREFUSED\n");
});

test("without it the command runs as it is, with a message", (context) => {
  const said = context.mock.method(console, "log", () => {});
  const { PATH } = process.env;
  process.env.PATH = "";
  try {
    assert.deepEqual(inOwnNetwork(["node", "--version"]), ["node", "--version"]);
  } finally {
    process.env.PATH = PATH;
  }
  assert.match(String(said.mock.calls[0].arguments[0]), /^The machine's own network is used/);
});
