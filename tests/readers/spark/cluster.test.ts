/** A job with the wheel on a local cluster: two workers, one of which is killed in the middle. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { createFakeService } from "inspection-findings/testing";
import { saveFiles } from "../../docs/documents.js";
import { rowsOf } from "./rows.ts";
import { isForPartition, serve, until } from "./service.ts";
import { startPython } from "./session.ts";

const token = "a-token-that-must-stay-secret";

/** Has the program of the guide. */
const folder = saveFiles("www/docs/python.md", mkdtempSync(join(tmpdir(), "spark-")));
after(() => rmSync(folder, { recursive: true }));

// P46
test("has every finding exactly once although one of two workers is killed in the middle", async () => {
  const invented = createFakeService({ sentiment: { findings: 900, partitions: 1 } }).findings("sentiment");
  const partitions = Array.from({ length: 12 }, (_, index) => invented.splice(0, 20 + 10 * index));
  const server = await serve({ sentiment: partitions, faults: { latency: 100 } });
  const [out, tokenFile] = ["out", "token"].map((name) => join(folder, name));
  writeFileSync(tokenFile, token);
  const job = startPython(["job.py", server.fake.baseUrl, "42", "sentiment", out, "maxTasks=12"], {
    master: "local-cluster[2,1,1024]",
    configuration: { "spark.executor.extraJavaOptions": `-Dfolder=${folder}` },
    env: { FINDINGS_TOKEN_FILE: tokenFile },
    cwd: folder,
  });
  const [stdout, stderr] = [job.stdout, job.stderr].map(text);
  const ended = once(job, "exit");
  const brokenRequests = () => server.requests.filter(({ broken }) => broken);
  try {
    const jobEnded = () => job.exitCode !== null;
    await until(() => server.requests.filter(isForPartition).length > 3 || jobEnded());
    const release = server.hold();
    // Both workers are in the middle of a partition.
    await until(() => server.held() === 2 || jobEnded());
    if (jobEnded()) assert.fail(await stderr);
    process.kill(executors()[0], "SIGKILL");
    await until(() => brokenRequests().length > 0);
    release();
    const [status] = await ended;
    assert.equal(status, 0, await stderr);
  } finally {
    job.kill();
    await ended;
    await server.close();
  }
  assert.equal(await stdout, `${partitions.flat().length} findings\n`);
  assert.deepEqual(await rowsInParquet(out), rowsOf(partitions, "sentiment"));
  const [broken, ...others] = brokenRequests();
  assert.deepEqual(others, [], "the killed worker was in the middle of a partition");
  assert.equal(server.requests.filter(({ url }) => url === broken.url).length, 2, "which was read again");
  assert.ok(!(await stderr).includes(token));
});

/** The ids of the processes that are executors of the job. */
function executors() {
  const processes = execFileSync("ps", ["-A", "-ww", "-o", "pid=,args="], { encoding: "utf8" }).split("\n");
  const found = processes.filter((line) => line.includes(`-Dfolder=${folder} `) && /CoarseGrainedExecutor/.test(line));
  return found.map((line) => Number.parseInt(line, 10));
}

async function rowsInParquet(place: string) {
  // The reader's own parser takes a byte order mark at the beginning of a text for one of an encoding.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const parsers = { stringFromBytes: (bytes: Uint8Array) => bytes && decoder.decode(bytes) };
  const rows = [];
  for (const name of readdirSync(place).filter((name) => name.endsWith(".parquet"))) {
    rows.push(...(await parquetReadObjects({ file: await asyncBufferFromFile(join(place, name)), parsers })));
  }
  return rows.sort((one, other) => one.PartitionIndex - other.PartitionIndex || one.FindingIndex - other.FindingIndex);
}
