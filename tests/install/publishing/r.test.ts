/** The R program of the documentation reads an export. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { run } from "../../../tools/command.js";
import { debian, programPath } from "../../../tools/programs.js";
import { dist } from "../../../tools/repository.js";
import { saveFiles } from "../../docs/documents.js";
import { serveFake } from "../../wire/service/http-server.js";

const { fake, close } = await serveFake({ sentiment: { findings: 600, partitions: 6 } });
/** Has the program of the guide. */
const folder = saveFiles("www/docs/node.md", mkdtempSync(join(tmpdir(), "inspection-findings-r-")));
after(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

test("R finds the same groups, counts and means in an export as JavaScript", async () => {
  const env = { FINDINGS_URL: fake.baseUrl };
  const command = [join(dist, "command.js"), "export", "42", "sentiment", "--to", "findings.csv"];
  await run(process.execPath, command, { cwd: folder, env });
  const output = execFileSync(programPath("R", debian["r-base-core"].names), ["group-means.R"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  const rows = output.trim().split("\n").slice(1);
  const groups = rows.map((row) => /^\s*(.*?)\s+(\d+)\s+(\S+)$/.exec(row)?.slice(1) ?? [row]);
  const expected = Object.groupBy(fake.findings("sentiment"), ({ TopicGroup }) => String(TopicGroup));
  delete expected.null;
  assert.ok(Object.keys(expected).length > 3);
  assert.deepEqual(
    groups.map(([name, count, mean]) => [name, Number(count), Number(mean).toFixed(3)]).toSorted(),
    Object.entries(expected)
      .map(([name, findings = []]) => {
        const sum = findings.reduce((sum, { Sentiment = 0 }) => sum + Sentiment, 0);
        return [name, findings.length, (sum / findings.length).toFixed(3)];
      })
      .toSorted(),
  );
  assert.match(readFileSync(join(folder, "groups.pdf"), "latin1"), /^%PDF/);
});
