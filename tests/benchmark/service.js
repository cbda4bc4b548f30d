/**
 * The service of the benchmark: prepared bodies over HTTP/1.1, and the page from the same origin. It is a separate process, so that its time does
 * not count.
 */

import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import sirv from "sirv";
import { Failure } from "../../tools/command.js";
import { corpora } from "./corpora.js";

/**
 * @typedef {object} Manners
 * @property {string} page the folder of the page
 * @property {string} corpus
 * @property {number} findings of the prepared inspection; a larger one, whose key is its number of findings, repeats its partitions
 * @property {number} partitions
 * @property {number} latency milliseconds before each response
 * @property {string} bodies "sized", "chunked" or "gzip"
 * @property {boolean} [token] whether each request has to carry one
 */

/** @typedef {{ url: string, findings: number }} Service `findings`: how many an inspection has */

const file = fileURLToPath(import.meta.url);

/** The latency of a limited network, in milliseconds. */
const remote = 40;

/** The bytes of a write to a limited network, and the most bytes at once, because timers are late. */
const piece = 16 * 1024;
const burst = 4 * piece;

/** Two bytes follow these in every finding, which a larger inspection overwrites: so its comments and respondents are distinct. */
const beforeMarks = ['"Comment":"[', '"RespondentId":"'];

/**
 * Does some work beside a service, once its bodies are prepared.
 * @template Result
 * @param {Manners} manners
 * @param {(service: Service) => Promise<Result>} work
 */
export async function withService(manners, work) {
  const child = fork(file, [JSON.stringify(manners)]);
  const failed = once(child, "exit").then(() => {
    throw new Failure("The service of the benchmark could not be started: see its message above.");
  });
  const [url] = await Promise.race([once(child, "message"), failed]);
  failed.catch(() => {});
  try {
    return await work({ url, findings: manners.findings });
  } finally {
    child.disconnect();
  }
}

/**
 * Limits the network of a service, for all its connections together; without a limit, it is the loopback again.
 * @param {Service} service
 * @param {number} [megabits] a second
 */
export async function limitNetwork({ url }, megabits = 0) {
  await fetch(`${url}limit/${megabits}`);
}

/** A slow link: one token bucket for all connections. */
class Link {
  /** Bytes in a millisecond. */
  #rate;
  #clock;

  /** When the link has carried all that was given to it. */
  #free = 0;

  /**
   * @param {number} megabits a second
   * @param {{ now: () => number, wait: (milliseconds: number) => Promise<unknown> }} clock
   */
  constructor(megabits, clock = { now: () => performance.now(), wait: setTimeout }) {
    this.#rate = (megabits * 1e6) / 8 / 1000;
    this.#clock = clock;
  }

  /**
   * Sends a body piece by piece, in turns with the bodies of other connections.
   * @param {import("node:http").ServerResponse} response
   * @param {Buffer} body
   */
  async deliver(response, body) {
    for (let from = 0; from < body.length && !response.destroyed; from += piece) {
      const bytes = body.subarray(from, from + piece);
      const now = this.#clock.now();
      this.#free = Math.max(this.#free, now - burst / this.#rate) + bytes.length / this.#rate;
      await this.#clock.wait(Math.max(0, this.#free - now));
      response.write(bytes);
    }
    response.end();
  }
}

if (process.argv[1] === file) serve(JSON.parse(process.argv[2]));

/** @param {Manners} manners */
function serve({ page, corpus, findings, partitions, latency, bodies, token = false }) {
  const encoded = (/** @type {Buffer} */ body) => (bodies === "gzip" ? gzipSync(body) : body);
  const prepared = Array.from({ length: partitions }, (_, partitionIndex) => {
    const made = corpora[corpus](partitionIndex, findings / partitions);
    const marked = made.map((finding) => ({ ...finding, Comment: `[00] ${finding.Comment}` }));
    const body = Buffer.from(JSON.stringify({ Findings: marked, errors: null }));
    return { body, marks: beforeMarks.flatMap((text) => endsOf(text, body)), ready: encoded(body) };
  });
  const files = sirv(page, { dev: true });
  /** When the last response of each path was sent, in milliseconds since the epoch. @type {Record<string, number>} */
  const sent = {};
  /** @type {Link | undefined} */
  let link;

  const server = createServer(async (request, response) => {
    const path = (request.url ?? "/").slice(1);
    const [isService, key, partition] = path.match(/^Findings\/(\d+)(?:\/Sentiment\/(\d+))?$/) ?? [];
    const send = (/** @type {Buffer | string} */ body, how = "sized") => {
      response.writeHead(200, {
        "content-type": "application/json",
        ...(how === "gzip" && { "content-encoding": "gzip" }),
        ...(how === "sized" && { "content-length": Buffer.byteLength(body) }),
        // Excludes HTTP caches.
        "cache-control": "no-store",
      });
      // Without this, Node would add the length of a body that comes at once.
      if (how !== "sized") response.flushHeaders();
      if (link) link.deliver(response, Buffer.from(body));
      else response.end(body);
    };
    if (isService) {
      response.on("finish", () => {
        sent[path] = performance.timeOrigin + performance.now();
      });
      await setTimeout(Math.max(latency, link ? remote : 0));
      if (token && request.headers.authorization === undefined) response.writeHead(401).end();
      else if (partition === undefined) send(JSON.stringify(countsOf(Number(key), findings / partitions)));
      else send(bodyOf(Number(partition)), bodies);
    } else if (path.startsWith("limit/")) {
      const megabits = Number(path.slice("limit/".length));
      link = megabits > 0 ? new Link(megabits) : undefined;
      response.end();
    } else if (path === "sent") {
      send(JSON.stringify(sent));
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

  /** @param {number} index of a partition; a larger inspection repeats the prepared ones */
  function bodyOf(index) {
    const { body, marks, ready } = prepared[index % partitions];
    const repetition = Math.floor(index / partitions);
    if (repetition === 0) return ready;
    const repeated = Buffer.from(body);
    for (const mark of marks) repeated.write(repetition.toString(36).padStart(2, "0"), mark);
    return encoded(repeated);
  }
}

/**
 * @param {number} inspectionKey the number of its findings
 * @param {number} partitionSize
 */
function countsOf(inspectionKey, partitionSize) {
  const none = { TopicPartitions: 0, TopicFindings: 0, errors: null };
  return { SentimentPartitions: inspectionKey / partitionSize, SentimentFindings: inspectionKey, ...none };
}

/**
 * Where a text ends among bytes.
 * @param {string} text
 * @param {Buffer} bytes
 */
function endsOf(text, bytes) {
  /** @type {number[]} */
  const ends = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) ends.push(at + text.length);
  return ends;
}
