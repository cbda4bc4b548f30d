/** The command line: its words, its output and its exit codes. */

import { linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { exported, fake, prepareScene, requests, run, scene } from "./command-run.js";

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

const TOKEN = "eyJ-a-token-that-must-stay-secret";

async function authorizationFor(env: Record<string, string>): Promise<string | null | undefined> {
  fake.reset();
  const { stderr, code } = await run(["counts", "42"], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return fake.requests[0]?.headers.get("authorization");
}

test("a token loses the quotes around it, and its file may be UTF-16", async () => {
  for (const text of [`"bearer ${TOKEN}"`, ` 'bearer ${TOKEN}' \n`, `"bearer ${TOKEN}"\r\n`]) {
    expect(await authorizationFor({ FINDINGS_TOKEN: text })).toBe(`bearer ${TOKEN}`);
  }
  const file = join(scene.folder, "token");
  const littleEndian = Buffer.from(`\ufeffbearer ${TOKEN}\r\n`, "utf16le");
  for (const bytes of [littleEndian, Buffer.from(littleEndian).swap16(), Buffer.from(`\ufeffbearer ${TOKEN}\r\n`)]) {
    writeFileSync(file, bytes);
    expect(await authorizationFor({ FINDINGS_TOKEN_FILE: file })).toBe(`bearer ${TOKEN}`);
  }
});

test("what cannot be a token is refused before it is sent, is no wrong command line, and is not quoted", async () => {
  const file = join(scene.folder, "token");
  writeFileSync(file, Buffer.from(TOKEN, "utf16le"));
  for (const [env, message] of [
    [{ FINDINGS_TOKEN: `${TOKEN}\n${TOKEN}` }, /FINDINGS_TOKEN has a character that no token has/],
    [{ FINDINGS_TOKEN: `${TOKEN}\u201d` }, /FINDINGS_TOKEN has a character that no token has/],
    [{ FINDINGS_TOKEN_FILE: file }, /the file of FINDINGS_TOKEN_FILE has a character that no token has/],
    [{ FINDINGS_TOKEN: `Bearer bearer ${TOKEN}` }, /FINDINGS_TOKEN must be the token as the service issued it/],
    [{ FINDINGS_TOKEN: "undefined" }, /FINDINGS_TOKEN must be the token as the service issued it/],
  ] as [Record<string, string>, RegExp][]) {
    const { code, stderr } = await run(["counts", "42"], { env });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain(TOKEN);
    expect(stderr).not.toContain("--help");
    expect(code).toBe(1);
  }
  expect(fake.requests).toEqual([]);
});

test("after a 401, the message names the variable that the token was read from", async () => {
  fake.use({ respond: () => new Response(null, { status: 401 }) });
  const file = join(scene.folder, "token");
  writeFileSync(file, TOKEN);
  for (const [env, message] of [
    [{}, "No token was sent: set FINDINGS_TOKEN or FINDINGS_TOKEN_FILE.\n"],
    [{ FINDINGS_TOKEN: TOKEN }, "The token was read from FINDINGS_TOKEN.\n"],
    [{ FINDINGS_TOKEN_FILE: file }, "The token was read from the file of FINDINGS_TOKEN_FILE.\n"],
  ] as [Record<string, string>, string][]) {
    const { stderr } = await run(["counts", "42"], { env });
    expect(stderr.endsWith(message), stderr).toBe(true);
  }
});

test("an unknown option is named, unless it may be a token", async () => {
  for (const [option, message] of [
    ["--coment", "--coment is unknown; the options are --base-url,"],
    ["--token=secret", "--token is unknown;"],
    [`--${TOKEN}`, "an option is unknown;"],
    ["--abcdefghijklmnopqrstuvwxyz", "an option is unknown;"],
  ] as const) {
    const { code, stderr } = await run(["counts", "42", option]);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/secret|eyJ|klm/);
    expect(code).toBe(2);
  }
});

test("an option with one value that is there twice is wrong, because one of the values would be lost", async () => {
  for (const words of [
    [...exported("a.csv"), "--to", "b.csv"],
    [...exported("a.csv"), "--join", "a", "--by", "Id", "--join", "b"],
    [...exported("a.csv"), "--separator", ";", "--separator=,"],
    ["counts", "42", "--base-url", "https://a.example/", "--base-url", "https://b.example/"],
    ["counts", "42", "--token-header", "authorization", "--token-header", "authentication"],
  ]) {
    const { code, stderr } = await run(words);
    const twice = words.findLast((word) => word.startsWith("--"))?.replace(/=.*/, "");
    expect(stderr).toContain(`${twice} is there twice: pass it once`);
    expect(code).toBe(2);
  }
  expect(fake.requests).toEqual([]);
});

test("--separator ';' separates the fields of a CSV file, and of no other file", async () => {
  const words = [...exported("findings.csv"), "--separator", ";"];
  expect(await run(words)).toEqual({ code: 0, stdout: "", stderr: "" });
  const [head, line] = readFileSync(join(scene.folder, "findings.csv"), "utf8").split("\r\n");
  expect(head).toMatch(/^\ufeff"VariableKey";"RespondentKey";"RespondentId";/);
  expect(line).toMatch(/^\d+;\d+;"/);
  for (const [words, message] of [
    [[...exported("findings.csv"), "--separator", "\t"], "--separator must be ',' or ';'"],
    [[...exported("findings.parquet"), "--separator", ";"], "--separator applies only to a .csv file"],
    [["counts", "42", "--separator", ";"], "--separator does not apply to counts"],
  ] as const) {
    const { code, stderr } = await run([...words]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  }
});

test("a column that no finding has is refused with the name that was probably meant", async () => {
  const { code, stdout, stderr } = await run(["summary", "42", "--by", "Topicgroup"]);
  expect(stderr).toMatch(
    /there is no column "Topicgroup" \(did you mean TopicGroup\?\); the columns are .*, Sentiment,/,
  );
  expect(stdout).toBe("");
  expect(code).toBe(1);
});

test("an export does not replace a file that it reads, under whatever name", async () => {
  const content = "RespondentId,Segment\nr1,new\n";
  const file = join(scene.folder, "people.csv");
  writeFileSync(file, content);
  linkSync(file, join(scene.folder, "hard.csv"));
  symlinkSync("people.csv", join(scene.folder, "symbolic.csv"));
  const before = readdirSync(scene.folder);
  const other = join("..", basename(scene.folder), "people.csv");
  const joined = (to: string, file: string) => [...exported(to), "--join", file, "--by", "RespondentId"];
  for (const [words, env, what] of [
    [joined("people.csv", "people.csv"), {}, "--join"],
    [joined("people.csv", other), {}, "--join"],
    [joined("symbolic.csv", "people.csv"), {}, "--join"],
    [joined("people.csv", "symbolic.csv"), {}, "--join"],
    [joined("hard.csv", "people.csv"), {}, "--join"],
    [exported("symbolic.csv"), { FINDINGS_TOKEN_FILE: file }, "FINDINGS_TOKEN_FILE"],
  ] as [string[], Record<string, string>, string][]) {
    const { code, stderr } = await run(words, { env });
    expect(stderr).toContain(`--to names the file of ${what}, which the export would replace: name another file`);
    expect(code).toBe(2);
  }
  expect(readFileSync(file, "utf8")).toBe(content);
  expect(readdirSync(scene.folder)).toEqual(before);
  expect(requests).toEqual([]);
});
