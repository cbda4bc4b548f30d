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
import { saveFiles } from "../docs/documents.js";
import { rowsOf } from "./rows.ts";
import { isForPartition, serve, until } from "./service.ts";
import { eventLog, outputOf, sparkHome, startPython, textsIn } from "./session.ts";

const token = "a-token-that-must-stay-secret";
const program = "read.mjs";

/** Has the program of the guide. */
const folder = saveFiles("www/docs/python.md", mkdtempSync(join(tmpdir(), "spark-")));
after(() => rmSync(folder, { recursive: true }));

/** The parent and the command line of every process, by its id. */
function allProcesses() {
  const text = execFileSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  const rows = text.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm);
  return new Map(Array.from(rows, ([, pid, parent, command]) => [Number(pid), { parent: Number(parent), command }]));
}

/** An executor of a job, and the program that it has started. */
function readingExecutor(job: number | undefined) {
  const all = allProcesses();
  for (const [reader, { command }] of all) {
    if (!command.endsWith(program)) continue;
    const ancestors = [reader];
    for (let pid = all.get(reader)?.parent; pid; pid = all.get(pid)?.parent) ancestors.push(pid);
    const executor = ancestors.find((pid) => all.get(pid)?.command.includes("CoarseGrainedExecutorBackend"));
    if (executor !== undefined && ancestors.includes(job ?? 0)) return { executor, reader };
  }
  throw new Error("no executor is reading");
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// The reader's own parser takes a byte order mark at the beginning of a text for one of an encoding.
const parsers = { stringFromBytes: (bytes: Uint8Array) => bytes && decoder.decode(bytes) };

/** What the executors of an application have printed; removes it. */
function executorLogs(name: string) {
  const work = join(sparkHome(), "work", name.replace("eventlog_v2_", ""));
  const logs = readdirSync(work).map((executor) => readFileSync(join(work, executor, "stderr"), "utf8"));
  rmSync(work, { recursive: true });
  return logs;
}

async function rowsInParquet(place: string) {
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
  const job = startPython(["job.py", server.service.baseUrl, "42", "sentiment", out, "maxTasks=12"], {
    master: "local-cluster[2,1,1024]",
    configuration: eventLog(events),
    env: { FINDINGS_TOKEN_FILE: tokenFile },
    cwd: folder,
  });
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
    await until(() => !allProcesses().get(reader)?.command.endsWith(program));
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
