/** The commands of the guide to Node, as a reader runs them. */

import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { inRepository } from "../../../tools/repository.js";
import { blocksIn } from "../../docs/documents.js";
import { contentOf, fake, prepareScene, scene, serve } from "./command-run.js";
import { fileReaders } from "./file-readers.js";

prepareScene();

/** Runs the block with a word, and returns what it prints. */
async function printedBy(word: string): Promise<string> {
  const blocks = blocksIn("www/docs/node.md").filter(({ marks }) =>
    marks.includes("by=tests/unit/command/guide.test.ts"),
  );
  const program = `${process.execPath} ${inRepository("dist", "command.js")}`;
  const script = blocks.find(({ code }) => code.includes(word))?.code.replaceAll("npx inspection-findings", program);
  const env = { ...process.env, FINDINGS_URL: fake.baseUrl };
  const { stdout } = await promisify(execFile)("sh", ["-e", "-c", script ?? "exit 1"], { cwd: scene.folder, env });
  return stdout;
}

test("--join adds the columns of a file", async () => {
  serve([['{"RespondentId":"r1"}', '{"RespondentId":"r3"}']]);
  await printedBy("--join");
  const { rows } = await fileReaders[".parquet"](contentOf("segments.parquet"));
  expect(rows).toMatchObject([
    { RespondentId: "r1", Segment: "new", Country: "DE" },
    { RespondentId: "r3", Segment: null, Country: null },
  ]);
});

test("--where exports complaints, and --across prints a cross tabulation", async () => {
  expect(await printedBy("--where")).toMatch(/^TopicGroup .* total\n/);
  const { rows } = await fileReaders[".xlsx"](contentOf("complaints.xlsx"));
  const complaints = fake.findings("sentiment").filter(({ Sentiment }) => (Sentiment as number) < 0);
  expect(rows).toEqual(complaints.map(({ TopicGroup, Comment }) => ({ TopicGroup, Comment })));
});
