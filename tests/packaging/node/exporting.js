/** Fails if the command does not export all findings. */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import { promisify } from "node:util";
import { createFakeService } from "inspection-findings/testing";

const fake = createFakeService({ baseUrl: "https://service.example/", sentiment: { findings: 600, partitions: 6 } });
const server = createServer(async ({ url = "/" }, outgoing) => {
  const response = await fake.fetch(fake.baseUrl + url.slice(1));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
}).listen(0, "127.0.0.1", async () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const words = ["export", "42", "sentiment", "--to", "findings.ndjson", "--base-url", `http://127.0.0.1:${port}/`];
  const command = "node_modules/inspection-findings/dist/command.js";
  await promisify(execFile)(process.execPath, [command, ...words]);
  server.close();
  const lines = readFileSync("findings.ndjson", "utf8").trimEnd().split("\n");
  if (lines.length !== 600) throw new Error(`${lines.length} lines`);
});
