/** A server in another process that sends large partitions, and closes each connection right after the body. Prints its port. */

import { createServer } from "node:net";

const findings = Array.from({ length: 300 }, (_, row) => ({ RespondentKey: row, Comment: "Long enough. ".repeat(20) }));
const body = JSON.stringify({ Findings: findings, errors: null });
const response = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const server = createServer((socket) => {
  socket.on("error", () => {}).once("data", () => socket.end(response));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" && address?.port);
});
