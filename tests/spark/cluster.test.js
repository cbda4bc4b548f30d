/** A job with the wheel on a local cluster: two workers, one of which is killed in the middle. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { createFakeService } from "inspection-findings/testing";
import { inRepository } from "../../tools/repository.js";
import { rowsOf } from "./rows.js";
import { isForPartition, serve, until } from "./service.js";
import { eventLog, outputOf, sparkHome, startPython, textsIn } from "./session.js";

const token = "a-token-that-must-stay-secret";
const program = "read.mjs";

const folder = mkdtempSync(join(tmpdir(), "spark-"));
after(() => rmSync(folder, { recursive: true }));

/** @typedef {{ pid: number, parent: number, command: string }} Process */

/** @returns {Process[]} */
function allProcesses() {
  const lines = execFileSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => {
    const [, pid, parent, command] = /** @type {RegExpMatchArray} */ (line.match(/^\s*(\d+)\s+(\d+)\s+(.*)$/));
    return { pid: Number(pid), parent: Number(parent), command };
  });
}

/**
 * The processes that a process has started, and those that these have started.
 * @param {number | undefined} pid
 * @param {Process[]} [all]
 * @returns {Process[]}
 */
function descendants(pid, all = allProcesses()) {
  const children = all.filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child, ...descendants(child.pid, all)]);
}

/**
 * An executor of a job, and the program that it has started.
 * @param {number | undefined} job
 */
function readingExecutor(job) {
  for (const { pid, command } of descendants(job)) {
    const reader = command.includes("CoarseGrainedExecutorBackend")
      ? descendants(pid).find(({ command }) => command.endsWith(program))
      : undefined;
    if (reader !== undefined) return { executor: pid, reader: reader.pid };
  }
  throw new Error("no executor is reading");
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// The reader's own parser takes a byte order mark at the beginning of a text for one of an encoding.
const parsers = { stringFromBytes: (/** @type {Uint8Array} */ bytes) => bytes && decoder.decode(bytes) };

/**
 * What the executors of an application have printed; removes it.
 * @param {string} name of its event log, which has that of the application
 */
function executorLogs(name) {
  const work = join(sparkHome(), "work", name.replace("eventlog_v2_", ""));
  const logs = readdirSync(work).map((executor) => readFileSync(join(work, executor, "stderr"), "utf8"));
  rmSync(work, { recursive: true });
  return logs;
}

/** @param {string} place */
async function rowsInParquet(place) {
  const rows = [];
  for (const name of readdirSync(place).filter((name) => name.endsWith(".parquet"))) {
    const file = await asyncBufferFromFile(join(place, name));
    rows.push(...(await parquetReadObjects({ file, parsers })));
  }
  return rows.sort((one, other) => one.PartitionIndex - other.PartitionIndex || one.FindingIndex - other.FindingIndex);
}

test("has every finding exactly once although one of two workers is killed in the middle", async () => {
  const invented = createFakeService({ sentiment: { findings: 900, partitions: 1 } }).findings("sentiment");
  const partitions = Array.from({ length: 12 }, (_, index) => invented.splice(0, 20 + 10 * index));
  const server = await serve({ sentiment: partitions, faults: { latency: 100 } });
  const [events, out, tokenFile] = ["events", "out", "token"].map((name) => join(folder, name));
  mkdirSync(events);
  writeFileSync(tokenFile, token);
  const job = startPython(
    [inRepository("tests", "spark", "job.py"), server.service.baseUrl, "42", "sentiment", out, "maxTasks=12"],
    {
      master: "local-cluster[2,1,1024]",
      configuration: eventLog(events),
      env: { FINDINGS_TOKEN_FILE: tokenFile },
      cwd: folder,
    },
  );
  const printed = outputOf(job);
  const ended = once(job, "exit");
  try {
    const jobEnded = () => job.exitCode !== null;
    await until(() => server.seen.filter(isForPartition).length > 3 || jobEnded());
    const release = server.hold();
    // Both workers are in the middle of a partition.
    await until(() => server.held() === 2 || jobEnded());
    assert.ok(!jobEnded(), printed.stderr.slice(-3000));
    const { executor, reader } = readingExecutor(job.pid);
    process.kill(executor, "SIGKILL");
    await until(() => allProcesses().every(({ pid, command }) => pid !== reader || !command.endsWith(program)));
    release();
    const [status] = await ended;
    assert.equal(status, 0, printed.stderr.slice(-3000));
  } finally {
    job.kill();
    await ended;
    server.close();
  }
  const total = partitions.flat().length;
  assert.equal(printed.stdout, `${total} findings\n`);
  assert.deepEqual(await rowsInParquet(out), rowsOf(partitions, "sentiment"));
  const broken = server.seen.filter(({ broken }) => broken);
  assert.equal(broken.length, 1, "the killed worker was in the middle of a partition");
  assert.equal(server.seen.filter(({ url }) => url === broken[0].url).length, 2, "which was read again");
  rmSync(tokenFile);
  const texts = [textsIn(events), printed.stderr, ...executorLogs(readdirSync(events)[0])];
  assert.ok(texts[0].includes("SparkListenerExecutorRemoved"));
  assert.ok(texts.length > 3 && texts.every((text) => text !== "" && !text.includes(token)));
});
