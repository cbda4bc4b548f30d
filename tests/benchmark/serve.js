/** The process of the service: prepared bodies over HTTP/1.1, and the page from the same origin. */

import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import process from "node:process";
import { countsOf } from "../fake-backend/inspection.js";
import { readOperation } from "../fake-backend/operation.js";
import { Inspections } from "./inspections.js";

/** @typedef {import("./service.js").Settings} Settings */
/** @typedef {{ type: string, body: string | Buffer }} Answer */

/** @type {Record<string, string>} */
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wasm": "application/wasm" };

/** @type {Settings} */
const { page, latency, ...prepared } = JSON.parse(process.argv[2]);
const files = readFiles(page);
const inspections = new Inspections(prepared);

/** When the last response of each path was sent, in milliseconds since the epoch. @type {Record<string, number>} */
const sent = {};

const server = createServer((request, response) => {
  const path = (request.url ?? "/").slice(1);
  const file = files.get(path || "index.html");
  if (file !== undefined) {
    send(response, file);
  } else if (path === "sent") {
    send(response, { type: "application/json", body: JSON.stringify(sent) });
  } else {
    response.on("finish", () => {
      sent[path] = performance.timeOrigin + performance.now();
    });
    setTimeout(() => send(response, answerTo(path)), latency);
  }
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  process.send?.(`http://127.0.0.1:${port}/`);
});
process.on("disconnect", () => process.exit());

/**
 * The key of an inspection is the number of its sentiment findings, which must be a multiple of the partition size.
 * @param {string} path
 * @returns {Answer | undefined}
 */
function answerTo(path) {
  const operation = readOperation(path);
  const findings = Number(operation?.inspectionKey);
  const partitions = findings / inspections.partitionSize;
  if (operation === undefined || !(Number.isInteger(partitions) && partitions >= 0)) {
    return undefined;
  }
  if (operation.partition === undefined) {
    const counts = countsOf({ sentiment: { partitions, findings }, topics: { partitions: 0, findings: 0 } });
    return { type: "application/json", body: JSON.stringify(counts) };
  }
  const { kind, index } = operation.partition;
  return kind === "sentiment" && index >= 0 && index < partitions
    ? { type: "application/json", body: inspections.body(index) }
    : undefined;
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {Answer | undefined} answer
 */
function send(response, answer) {
  if (answer === undefined) {
    response.writeHead(404).end();
    return;
  }
  const { type, body } = answer;
  // Excludes HTTP caches.
  response.writeHead(200, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
  });
  response.end(body);
}

/**
 * @param {string} folder
 * @returns {Map<string, Answer>} by path
 */
function readFiles(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => extname(name) in types);
  return new Map(
    names.map((name) => [
      name.replaceAll("\\", "/"),
      { type: types[extname(name)], body: readFileSync(join(folder, name)) },
    ]),
  );
}
