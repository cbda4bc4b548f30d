/** The command line: its words, its output and its exit codes. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { exported, fake, prepareScene, run, scene } from "./command-run.js";

prepareScene();

test("an output that cannot be written ends with 1, and says why", async () => {
  for (const words of [["counts", "42"], ["summary", "42", "--by", "TopicGroup"], ["--help"], ["--version"]]) {
    const { code, stderr } = await run(words, { shell: "> /dev/full" });
    expect(stderr).toMatch(/^inspection-findings: the standard output cannot be written: ENOSPC: [^\n]+\n$/);
    expect(code).toBe(1);
  }
});

test("a reader that ends first is no failure", async () => {
  for (const words of [["counts", "42"], ["--help"]]) {
    expect(await run(words, { onStart: (child) => child.stdout?.destroy() })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  }
});

test("a message that cannot be written changes no exit code", async () => {
  expect((await run(["counts"], { shell: "2> /dev/full" })).code).toBe(2);
});

test("Node before version 20 gets the version that the command needs", async () => {
  writeFileSync(
    join(scene.folder, "old.mjs"),
    'Object.defineProperty(process.versions, "node", { value: "18.20.8" });',
  );
  const { code, stderr } = await run(["--version"], { flags: ["--import", fileOf("old.mjs")] });
  expect(stderr).toBe("inspection-findings needs Node 20 or later; this is Node 18.20.8\n");
  expect(code).toBe(1);
});

test("an export needs nothing that Node 20.0 lacks", async () => {
  writeFileSync(join(scene.folder, "old.mjs"), "delete AbortSignal.any;");
  const { code, stderr } = await run(exported("findings.ndjson"), { flags: ["--import", fileOf("old.mjs")] });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(readFileSync(join(scene.folder, "findings.ndjson"), "utf8").trimEnd().split("\n")).toHaveLength(600);
});

test("only a wrong command line ends with 2", async () => {
  writeFileSync(join(scene.folder, "broken.mjs"), 'globalThis.fetch = () => { throw new TypeError("a fault"); };');
  const broken = await run(["counts", "42"], { flags: ["--import", fileOf("broken.mjs")] });
  expect(broken.code).toBe(1);
  expect(broken.stderr).not.toContain("--help");
  const wrong = await run(["counts", "42", "--base-url", "ftp://service.example/"]);
  expect(wrong.stderr).toContain('--base-url must be an http or https URL; got "ftp://service.example/"');
  expect(wrong.code).toBe(2);
  const key = await run(["counts", "9223372036854775808"]);
  expect(key.stderr).toContain("counts needs an inspection key");
  expect(key.code).toBe(2);
  expect(fake.requests).toEqual([]);
});

function fileOf(name: string): string {
  return pathToFileURL(join(scene.folder, name)).href;
}
