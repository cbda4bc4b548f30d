/** The R program of the documentation reads an export. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { run } from "../../tools/command.js";
import { debian, programPath } from "../../tools/programs.js";
import { dist, inRepository } from "../../tools/repository.js";
import { serveFake } from "../service/http-server.js";

const { fake, close } = await serveFake({ sentiment: { findings: 600, partitions: 6 } });
const folder = mkdtempSync(join(tmpdir(), "inspection-findings-r-"));
after(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

test("R finds the same groups, counts and means in an export as JavaScript", async () => {
  const env = { FINDINGS_URL: fake.baseUrl };
  const command = [join(dist, "command.js"), "export", "42", "sentiment", "--to", "findings.csv"];
  await run(process.execPath, command, { cwd: folder, env });
  const program = inRepository("tests", "publishing", "group-means.R");
  const output = execFileSync(programPath("R", debian["r-base-core"].names), [program], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  const rows = output.trim().split("\n").slice(1);
  const groups = rows.map((row) => /^\s*(.*?)\s+(\d+)\s+(\S+)$/.exec(row)?.slice(1) ?? [row]);
  const expected = new Map();
  for (const { TopicGroup, Sentiment = 0 } of fake.findings("sentiment")) {
    if (TopicGroup !== null) expected.set(TopicGroup, [...(expected.get(TopicGroup) ?? []), Sentiment]);
  }
  assert.ok(expected.size > 3);
  assert.deepEqual(
    groups.map(([name, count]) => [name, Number(count)]).toSorted(),
    [...expected].map(([name, values]) => [name, values.length]).toSorted(),
  );
  for (const [name = "", , mean] of groups) {
    const values = expected.get(name);
    assert.ok(
      Math.abs(
        Number(mean) -
          values.reduce((/** @type {number} */ sum, /** @type {number} */ value) => sum + value, 0) / values.length,
      ) < 1e-4,
    );
  }
  assert.match(readFileSync(join(folder, "groups.pdf"), "latin1"), /^%PDF/);
});
