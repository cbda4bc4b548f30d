/** The process of the service: prepared bodies over HTTP/1.1, and the page from the same origin. */

import { createServer } from "node:http";
import process from "node:process";
import { gzipSync } from "node:zlib";
import sirv from "sirv";
import { corpora } from "./corpora.js";
import { Link } from "./link.js";

const { page, latency, bodies: manner, token, corpus, findings, partitions } = JSON.parse(process.argv[2]);

/** Two bytes follow these in every finding, which a larger inspection overwrites: so its comments and respondents are distinct. */
const beforeMarks = ['"Comment":"[', '"RespondentId":"'];

/** The bodies of an inspection, and where their marks are. */
const prepared = Array.from({ length: partitions }, (_, partitionIndex) => {
  const made = corpora[corpus](partitionIndex, findings / partitions);
  const marked = made.map((finding) => ({ ...finding, Comment: `[00] ${finding.Comment}` }));
  const body = Buffer.from(JSON.stringify({ Findings: marked, errors: null }));
  /** @type {number[]} */
  const marks = [];
  for (const text of beforeMarks) {
    for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + 1)) marks.push(at + text.length);
  }
  return { body, marks, ready: encoded(body) };
});

/** Milliseconds before each response of a limited network. */
const remote = 40;

/** The link to the client, if its network is limited. @type {Link | undefined} */
let link;

/** When the last response of each path was sent, in milliseconds since the epoch. @type {Record<string, number>} */
const sent = {};

const files = sirv(page, { dev: true });

const server = createServer((request, response) => {
  const path = (request.url ?? "/").slice(1);
  const [isService, key, partition] = path.match(/^Findings\/(\d+)(?:\/Sentiment\/(\d+))?$/) ?? [];
  if (isService) {
    response.on("finish", () => {
      sent[path] = performance.timeOrigin + performance.now();
    });
    setTimeout(
      () => {
        if (token && request.headers.authorization === undefined) response.writeHead(401).end();
        else if (partition === undefined) send(response, JSON.stringify(countsOf(Number(key))));
        else send(response, bodyOf(Number(partition)), manner);
      },
      Math.max(latency, link ? remote : 0),
    );
  } else if (path.startsWith("limit/")) {
    const megabits = Number(path.slice("limit/".length));
    link = megabits > 0 ? new Link(megabits) : undefined;
    response.end();
  } else if (path === "sent") {
    send(response, JSON.stringify(sent));
  } else {
    files(request, response);
  }
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  process.send?.(`http://127.0.0.1:${port}/`);
});
process.on("disconnect", () => process.exit());

/** @param {number} inspectionKey the number of its findings, a multiple of the partition size */
function countsOf(inspectionKey) {
  const none = { TopicPartitions: 0, TopicFindings: 0, errors: null };
  return { SentimentPartitions: (inspectionKey * partitions) / findings, SentimentFindings: inspectionKey, ...none };
}

/** @param {number} index of a partition; a larger inspection repeats the prepared ones */
function bodyOf(index) {
  const { body, marks, ready } = prepared[index % partitions];
  const repetition = Math.floor(index / partitions);
  if (repetition === 0) return ready;
  const repeated = Buffer.from(body);
  const [first, second] = Buffer.from(repetition.toString(36).padStart(2, "0"));
  for (const mark of marks) {
    repeated[mark] = first;
    repeated[mark + 1] = second;
  }
  return encoded(repeated);
}

/** @param {Buffer} body */
function encoded(body) {
  return manner === "gzip" ? gzipSync(body) : body;
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {Buffer | string} body
 * @param {string} [manner] how it is sent
 * @param {string} [type]
 */
function send(response, body, manner = "sized", type = "application/json") {
  response.writeHead(200, {
    "content-type": type,
    ...(manner === "gzip" && { "content-encoding": "gzip" }),
    ...(manner === "sized" && { "content-length": Buffer.byteLength(body) }),
    // Excludes HTTP caches.
    "cache-control": "no-store",
  });
  // Without this, Node would add the length of a body that comes at once.
  if (manner !== "sized") response.flushHeaders();
  if (link) link.deliver(response, Buffer.from(body));
  else response.end(body);
}
