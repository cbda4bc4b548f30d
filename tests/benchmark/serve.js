/** The process of the service: prepared bodies over HTTP/1.1, and the page from the same origin. */

import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { countsOf } from "../fake-backend/inspection.js";
import { readOperation } from "../fake-backend/operation.js";
import { Inspections } from "./inspections.js";

/** @typedef {import("./service.js").Settings} Settings */
/** @typedef {{ type: string, body: string | Buffer, encoding?: string, isChunked?: boolean }} Answer */

/** @type {Record<string, string>} */
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wasm": "application/wasm" };

/** @type {Settings} */
const { page, latency, bodies, token, ...prepared } = JSON.parse(process.argv[2]);
const files = readFiles(page);
const inspections = new Inspections(prepared);

/** The compressed bodies, by partition. @type {Map<number, Buffer>} */
const compressed = new Map();
if (bodies === "gzip") {
  for (let index = 0; index < prepared.partitions; index++) {
    compressedBody(index);
  }
}

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
    const isAllowed = !token || request.headers.authorization !== undefined;
    setTimeout(() => (isAllowed ? send(response, answerTo(path)) : response.writeHead(401).end()), latency);
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
  return kind === "sentiment" && index >= 0 && index < partitions ? bodyOf(index) : undefined;
}

/**
 * @param {number} index of the partition
 * @returns {Answer}
 */
function bodyOf(index) {
  const type = "application/json";
  return bodies === "gzip"
    ? { type, body: compressedBody(index), encoding: "gzip", isChunked: true }
    : { type, body: inspections.body(index), isChunked: bodies === "chunked" };
}

/** @param {number} index of the partition */
function compressedBody(index) {
  const body = compressed.get(index) ?? gzipSync(inspections.body(index));
  compressed.set(index, body);
  return body;
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
  const { type, body, encoding, isChunked } = answer;
  response.writeHead(200, {
    "content-type": type,
    ...(encoding && { "content-encoding": encoding }),
    ...(!isChunked && { "content-length": Buffer.byteLength(body) }),
    // Excludes HTTP caches.
    "cache-control": "no-store",
  });
  if (isChunked) {
    // Without it, Node would add the length of a body that comes at once.
    response.flushHeaders();
  }
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
