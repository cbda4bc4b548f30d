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
import sirv from "sirv";
import { Failure } from "../../../tools/command.js";
import { makeBodies, shareOf } from "./corpora.ts";

export type Manners = {
  /** The folder of the page. */
  page: string;
  corpus: string;
  /** Of the inspection, whose key is their number; a smaller one has its first partitions; a tenth with long comments. */
  findings: number;
  partitions: number;
  /** Whether each request has to carry one. */
  token?: boolean;
};

/** `findings`: how many an inspection has. */
export type Service = { url: string; findings: number };

const file = fileURLToPath(import.meta.url);

/** The milliseconds before each response: over the loopback, and over a limited network. */
const latency = { loopback: 30, limited: 40 };

/** The bytes of a write to a limited network, and the most bytes at once, because timers are late. */
const piece = 16 * 1024;
const burst = 4 * piece;

/** Does some work beside a service, once its bodies are prepared. */
export async function withService<Result>(manners: Manners, work: (service: Service) => Promise<Result>) {
  const child = fork(file, [JSON.stringify(manners)]);
  const failed = once(child, "exit").then(() => {
    throw new Failure("The service of the benchmark could not be started: see its message above.");
  });
  const [url] = await Promise.race([once(child, "message"), failed]);
  failed.catch(() => {});
  try {
    return await work({ url, findings: manners.findings * shareOf(manners.corpus) });
  } finally {
    child.disconnect();
  }
}

/**
 * Limits the network of a service, for all its connections together; without a limit, it is the loopback again.
 * @param megabits a second
 */
export async function limitNetwork({ url }: Service, megabits: number = 0) {
  await fetch(`${url}limit/${megabits}`);
}

/** A slow link: one token bucket for all connections. */
class Link {
  /** Bytes in a millisecond. */
  #rate;

  /** When the link has carried all that was given to it. */
  #free = 0;

  /** @param megabits a second */
  constructor(megabits: number) {
    this.#rate = (megabits * 1e6) / 8 / 1000;
  }

  /** Sends a body piece by piece, in turns with the bodies of other connections. */
  async deliver(response: import("node:http").ServerResponse, body: Buffer) {
    for (let from = 0; from < body.length && !response.destroyed; from += piece) {
      const bytes = body.subarray(from, from + piece);
      const now = performance.now();
      this.#free = Math.max(this.#free, now - burst / this.#rate) + bytes.length / this.#rate;
      await setTimeout(Math.max(0, this.#free - now));
      response.write(bytes);
    }
    response.end();
  }
}

if (process.argv[1] === file) serve(JSON.parse(process.argv[2]));

function serve({ page, corpus, findings, partitions, token = false }: Manners) {
  const each = Math.ceil((findings * shareOf(corpus)) / partitions);
  const bodies = makeBodies(corpus, { findings, partitions });
  const files = sirv(page, { dev: true });
  let link: Link | undefined;

  const server = createServer(async (request, response) => {
    const path = (request.url ?? "/").slice(1);
    const [isService, key, partition] = path.match(/^Findings\/(\d+)(?:\/Sentiment\/(\d+))?$/) ?? [];
    if (isService) {
      await setTimeout(link ? latency.limited : latency.loopback);
      if (token && request.headers.authorization === undefined) return response.writeHead(401).end();
      const body = partition === undefined ? countsOf(Number(key), each) : bodies[Number(partition)];
      // Excludes HTTP caches.
      const headers = { "content-type": "application/json", "cache-control": "no-store" };
      response.writeHead(200, { ...headers, "content-length": body.length });
      if (link) link.deliver(response, body);
      else response.end(body);
    } else if (path.startsWith("limit/")) {
      const megabits = Number(path.slice("limit/".length));
      link = megabits > 0 ? new Link(megabits) : undefined;
      response.end();
    } else {
      files(request, response);
    }
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as import("node:net").AddressInfo;
    process.send?.(`http://127.0.0.1:${port}/`);
  });
  process.on("disconnect", () => process.exit());
}

/** @param inspectionKey the number of its findings */
function countsOf(inspectionKey: number, partitionSize: number) {
  const counts = { SentimentPartitions: inspectionKey / partitionSize, SentimentFindings: inspectionKey };
  return Buffer.from(JSON.stringify({ ...counts, TopicPartitions: 0, TopicFindings: 0, errors: null }));
}
