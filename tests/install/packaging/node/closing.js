/** Fails if a body is lost whose server, in another thread, closes the connection right after it, also while the module loads. */

import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { FindingsClient } from "inspection-findings";

if (isMainThread) {
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = /** @type {any} */ (
    async (/** @type {Parameters<typeof instantiate>} */ ...given) => {
      await setTimeout(200);
      return instantiate(...given);
    }
  );
  const server = new Worker(new URL(import.meta.url));
  const [port] = await once(server, "message");
  /** @type {unknown[]} */
  const broken = [];
  const client = new FindingsClient({
    baseUrl: `http://127.0.0.1:${port}/`,
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
  await server.terminate();
  if (broken.length > 0) throw broken[0];
} else {
  const findings = Array.from({ length: 300 }, (_, RespondentKey) => ({ RespondentKey, Comment: "Long. ".repeat(40) }));
  const body = JSON.stringify({ Findings: findings, errors: null });
  const response = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.end(response));
  });
  server.listen(0, "127.0.0.1", () => parentPort?.postMessage(/** @type {any} */ (server.address()).port));
}
