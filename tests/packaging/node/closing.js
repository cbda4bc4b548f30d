/** Fails if a body is lost whose server closes the connection right after it. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { FindingsClient } from "inspection-findings";

const server = spawn(process.execPath, ["closing-server.js"], { stdio: ["ignore", "pipe", "inherit"] });
const [port] = await once(server.stdout, "data");
/** @type {unknown[]} */
const broken = [];
const client = new FindingsClient({
  baseUrl: `http://127.0.0.1:${String(port).trim()}/`,
  onPartition: ({ error }) => {
    if (error?.message.includes("while the response was being read")) broken.push(error);
  },
});
for (let round = 0; round < 6; round++) {
  await Promise.all(Array.from({ length: 8 }, (_, index) => client.getPartition(42, "topics", index)));
  // Until the client knows that the connections are closed.
  await setTimeout(200);
}
client.free();
server.kill();
if (broken.length > 0) throw broken[0];
