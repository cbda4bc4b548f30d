/** The command line: its words, the token in the environment, its output and its exit codes. */

import { linkSync, readdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { commandOf, UsageError } from "../../../src/js/command/arguments.js";
import { tokenHeaders } from "../../../src/js/command/token.js";
import {
  before,
  contentOf,
  exported,
  fake,
  prepareScene,
  put,
  refused,
  requests,
  run,
  scene,
  silent,
} from "./command-run.js";

prepareScene();

const TOKEN = "eyJ-a-token-that-must-stay-secret";

describe("the words", () => {
  beforeEach(() => {
    vi.stubEnv("FINDINGS_URL", "https://service.example/");
  });

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const csv = exported("a.csv");

  test.for<[words: string[], message: string]>([
    [
      ["counts", "42", "--token", TOKEN],
      "--token is no option of counts, which has --json, --base-url, --token-header, --help. To",
    ],
    [["counts", "42", "--token=secret"], "To pass the token, set FINDINGS_TOKEN"],
    [["counts", "42", `--${TOKEN}`], "an option is no option of counts"],
    [["counts", "42", "--secretsecretsecretsecret"], "an option is no option of counts"],
    [["counts", "42", TOKEN], "counts has more words than it can use"],
    [[TOKEN], "the first word must be export, counts, summary or check"],
    [["counts", TOKEN], "counts needs an inspection key"],
    ...["9223372036854775808", "007", "-0"].map((key): [string[], string] => [
      ["counts", "--", key],
      "counts needs an inspection key: an integer of at most 64 bits without leading zeros",
    ]),
    [["counts", "42", "--base-url", "ftp://service.example/"], '--base-url must be an http or https URL; got "ftp://'],
    [["counts", "42", "--base-url", "https://service.example/?a"], "query"],
    [["counts", "42", "--token-header", "cookie"], "must be 'authorization' or 'authentication'"],
    [["export", "42"], "must be sentiment or topics"],
    [["export", "42", "topics", "--to", "a.xls"], "whose name ends with .parquet, .csv, .xlsx, .ndjson"],
    [["summary", "42"], "summary needs --by COLUMN"],
    [["check", "42", "--origin", "app.example"], "--origin must be the URL of a page"],
    [[...csv, "--json"], "--json applies only to counts, summary, and check, not to export"],
    [["summary", "42", "--columns", "x"], "--columns applies only to export, not to summary"],
    [["export", "42", "sentiment", "--to", "--by", "n"], "--to needs a value; if it begins with a dash, "],
    [["check", "42", "--origin"], "--origin needs a value"],
    [["counts", "42", "--json=secret"], "--json takes no value"],
    [["counts", "42", "--constructor"], "--constructor is no option of counts, which has"],
    [["summary", "42", "--by", "n", "--join", "people.csv"], "--join FILE and --on COLUMN belong together"],
    [[...csv, "--separator", "\t"], "--separator must be ',' or ';'"],
    [[...exported("a.parquet"), "--separator", ";"], "--separator applies only to a .csv file"],
    [[...csv, "--join", "people.csv"], "--join FILE and --on COLUMN belong together"],
    [[...csv, "--on", "Id"], "--join FILE and --on COLUMN belong together"],
    [[...csv, "--by", "n"], "export needs --per COLUMN, one --by COLUMN and a .csv file"],
    [[...csv, "--base", "a.csv", "--by", "n"], "export needs --per COLUMN, one --by COLUMN and a .csv file"],
    [
      [...csv, "--per", "k", "--by", "n", "--base", "a.csv", "--join", "b.csv", "--on", "Id"],
      "with --base, --on and --per must name the same column",
    ],
    [[...csv, "--columns", "Comment,,Topic"], "--columns needs the names of columns with commas between them"],
    [[...csv, "--columns", "[1]"], "--columns needs the names of columns with commas between them"],
    [[...csv, "--columns", "[Comment]"], `--columns must be JSON, such as '["Comment","Sentiment"]'; got "[Comment]"`],
    [
      [...csv, "--where", "{Sentiment:{max:-1}}"],
      `--where must be JSON, such as '{"Sentiment":{"max":-1}}'; got "{Sentiment:{max:-1}}". If your shell has removed quotes, save`,
    ],
    [[...csv, "--where", "@nowhere.json"], "the file of --where cannot be read: ENOENT"],
    [[...csv, "--where", '{"n":{"max":"1"}}'], '--where: max of the condition on "n" must be a number'],
    [[...csv, "--where", "[[]]"], "--where: where must be an object of conditions by the names of columns"],
    // One of the values would be lost.
    [[...csv, "--to", "b.csv"], "--to is there twice: pass it once"],
    [[...csv, "--join", "a", "--on", "Id", "--join", "b"], "--join is there twice: pass it once"],
    [[...csv, "--separator", ";", "--separator=,"], "--separator is there twice: pass it once"],
    [["counts", "42", "--base-url", "https://a.example/", "--base-url", "https://b.example/"], "--base-url is there"],
    [
      ["counts", "42", "--token-header", "authorization", "--token-header", "authentication"],
      "--token-header is there",
    ],
  ])("%j are wrong, and the message quotes none that may be the token", ([words, message]) => {
    const read = () => commandOf(words);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/secret/);
  });

  test("--columns has names with commas between them, or as JSON, in which a name may have one", () => {
    for (const [names, columns] of [
      ["s, n,T.a", ["s", "n", "T.a"]],
      ['["a,b"]', ["a,b"]],
    ] as const) {
      expect(commandOf([...csv, "--columns", names])).toMatchObject({ selected: { columns } });
    }
  });

  test("--where @FILE reads the conditions of a file, as any editor saves it", () => {
    const wrong = '{"n":{"max":"1"}}';
    for (const file of [wrong, `\ufeff[${wrong}]\r\n`, Buffer.from(`\ufeff${wrong}`, "utf16le")]) {
      const words = [...csv, "--where", `@${join(scene.folder, put("where.json", file))}`];
      expect(() => commandOf(words)).toThrow('--where: max of the condition on "n" must be a number');
    }
  });

  test("without --base-url and FINDINGS_URL say how to name the service", () => {
    vi.stubEnv("FINDINGS_URL", "");
    expect(() => commandOf(["counts", "42"])).toThrow("pass --base-url, or set FINDINGS_URL");
  });
});

test("only a wrong command line ends with 2, before any request, and names --help", async () => {
  const flags = before('globalThis.fetch = () => { throw new TypeError("a fault"); };');
  expect(await refused(["counts", "42"], { flags })).not.toContain("--help");
  const message = "inspection-findings: counts has more words than it can use\nRun npx inspection-findings --help\n";
  expect(await refused(["counts", "42", "43"], {}, 2)).toBe(message);
  expect(requests).toEqual([]);
});

test("an output that cannot be written ends with 1, and says why", async () => {
  for (const words of [["counts", "42"], ["summary", "42", "--by", "TopicGroup"], ["--help"]]) {
    expect(await refused(words, { shell: "> /dev/full" })).toMatch(
      /^inspection-findings: the standard output cannot be written: ENOSPC: [^\n]+\n$/,
    );
  }
});

test.for([["counts", "42"], ["--help"]])("a reader of %s that ends first is no failure", async (words) => {
  expect(await run(words, { onStart: (child) => child.stdout?.destroy() })).toEqual(silent);
});

test("Node before version 20 gets the version that the command needs", async () => {
  const flags = before('Object.defineProperty(process.versions, "node", { value: "18.20.8" });');
  expect(await refused(["--version"], { flags })).toBe(
    "inspection-findings needs Node 20 or later; this is Node 18.20.8\n",
  );
});

test("an export needs nothing that Node 20.0 lacks", async () => {
  expect(await run(exported("a.ndjson"), { flags: before("delete AbortSignal.any;") })).toEqual(silent);
  expect(contentOf("a.ndjson").toString().trimEnd().split("\n")).toHaveLength(600);
});

test("--separator ';' separates the fields of a CSV file", async () => {
  expect(await run([...exported("findings.csv"), "--separator", ";"])).toEqual(silent);
  const [head, line] = contentOf("findings.csv").toString().split("\r\n");
  expect(head).toMatch(/^\ufeff"VariableKey";"RespondentKey";"RespondentId";/);
  expect(line).toMatch(/^\d+;\d+;"/);
});

describe("the token", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  /** The headers with a token out of the environment, or of a file that the environment names. */
  function headersFor(token: string | Buffer) {
    if (typeof token === "string") vi.stubEnv("FINDINGS_TOKEN", token);
    else vi.stubEnv("FINDINGS_TOKEN_FILE", join(scene.folder, put("token", token)));
    return tokenHeaders("authorization");
  }

  const littleEndian = Buffer.from(`\ufeffbearer ${TOKEN}\r\n`, "utf16le");

  test.for<[what: string, token: string | Buffer]>([
    ["is in double quotes", `"bearer ${TOKEN}"`],
    ["is in quotes between spaces", ` 'bearer ${TOKEN}' \n`],
    ["is in quotes on a line", `"bearer ${TOKEN}"\r\n`],
    ["is in a file in UTF-16", littleEndian],
    ["is in a file in UTF-16, big-endian", Buffer.from(littleEndian).swap16()],
    ["is in a file with a byte order mark", Buffer.from(`\ufeffbearer ${TOKEN}\r\n`)],
  ])("is sent as it was issued where it %s", ([, token]) => {
    expect(headersFor(token)).toEqual({ authorization: `bearer ${TOKEN}` });
  });

  test.for<[token: string | Buffer, message: string]>([
    [`${TOKEN}\n${TOKEN}`, "FINDINGS_TOKEN has a character that no token has"],
    [`${TOKEN}\u201d`, "FINDINGS_TOKEN has a character that no token has"],
    [Buffer.from(TOKEN, "utf16le"), "the file of FINDINGS_TOKEN_FILE has a character that no token has"],
    [`Bearer bearer ${TOKEN}`, 'FINDINGS_TOKEN begins with "Bearer bearer": remove one of the two prefixes'],
    ["undefined", 'FINDINGS_TOKEN is "undefined": it must be the token as the service issued it'],
  ])("is refused as %j, and not quoted", ([token, message]) => {
    expect(() => headersFor(token)).toThrow(message);
    expect(() => headersFor(token)).not.toThrow(TOKEN);
  });

  test("is refused before it is sent, which is no wrong command line", async () => {
    expect(await refused(["counts", "42"], { env: { FINDINGS_TOKEN: "null" } })).toBe(
      'inspection-findings: FINDINGS_TOKEN is "null": it must be the token as the service issued it\n',
    );
    expect(requests).toEqual([]);
  });

  const other = "If it is an authentication token, set --token-header to authentication.";
  test.for<[env: Record<string, string>, words: string[], message: string]>([
    [{}, [], "No token was sent: set FINDINGS_TOKEN or FINDINGS_TOKEN_FILE."],
    [{ FINDINGS_TOKEN_FILE: "empty" }, [], "No token was sent: the file of FINDINGS_TOKEN_FILE is empty."],
    [{ FINDINGS_TOKEN: '""' }, [], "No token was sent: FINDINGS_TOKEN is empty."],
    [
      { FINDINGS_TOKEN: `Bearer ${TOKEN}` },
      [],
      `The token was read from FINDINGS_TOKEN, and sent as authorization. ${other}`,
    ],
    [
      { FINDINGS_TOKEN: "other", FINDINGS_TOKEN_FILE: "token" },
      [],
      `The token was read from the file of FINDINGS_TOKEN_FILE, and sent as authorization, behind "Bearer ", because it does not begin so. ${other}`,
    ],
    [
      { FINDINGS_TOKEN: TOKEN },
      ["--token-header", "authentication"],
      "The token was read from FINDINGS_TOKEN, and sent as authentication. If it is a bearer token, set --token-header to authorization.",
    ],
  ])("of %j %j is named after a 401, and how it was sent", async ([env, words, message]) => {
    fake.use({ respond: () => new Response(null, { status: 401 }) });
    put("token", TOKEN);
    put("empty", "\n");
    expect((await refused(["counts", "42", ...words], { env })).slice(-message.length - 1)).toBe(`${message}\n`);
  });
});

const slow = () => new Response(null, { status: 429, headers: { "retry-after": "120" } });
const none = () => new Response(null, { status: 404, headers: { "x-request-id": "7b3f" } });
const toConvert = "in another shape, convert them with readCounts, in a program";

test.for<[words: string[], respond: () => Response, message: string]>([
  [exported("a.csv"), slow, "wait 120 s, then run the command again: it continues"],
  [["counts", "42"], none, "Check baseUrl (--base-url) and"],
  [["counts", "42"], none, "(request id 7b3f)\n"],
  [["counts", "42"], () => Response.json({ counts: [] }), toConvert],
  [
    exported("a.csv"),
    () => Response.json({ TopicPartitions: 0 }),
    `have no number SentimentPartitions. If it sends counts ${toConvert}`,
  ],
])("the message of %j about %s says what to do with the command", async ([words, respond, message]) => {
  fake.use({ respond });
  expect(await refused(words)).toContain(message);
});

test("an export does not replace a file that it reads, under whatever name", async () => {
  const content = "RespondentId,Segment\nr1,new\n";
  const file = join(scene.folder, put("people.csv", content));
  linkSync(file, join(scene.folder, "hard.csv"));
  symlinkSync("people.csv", join(scene.folder, "symbolic.csv"));
  put("where.csv", "{}");
  const names = readdirSync(scene.folder);
  const other = join("..", basename(scene.folder), "people.csv");
  const joined = (to: string, file: string) => [...exported(to), "--join", file, "--on", "RespondentId"];
  for (const [words, env, what] of [
    [joined("people.csv", other), {}, "--join"],
    [joined("symbolic.csv", "people.csv"), {}, "--join"],
    [joined("hard.csv", "people.csv"), {}, "--join"],
    [exported("symbolic.csv"), { FINDINGS_TOKEN_FILE: file }, "FINDINGS_TOKEN_FILE"],
    [[...exported("where.csv"), "--where", "@where.csv"], {}, "--where"],
  ] as [string[], Record<string, string>, string][]) {
    const message = `--to names the file of ${what}, which the export would replace: name another file`;
    expect(await refused(words, { env }, 2)).toContain(message);
  }
  expect(contentOf("people.csv").toString()).toBe(content);
  expect(readdirSync(scene.folder)).toEqual(names);
  expect(requests).toEqual([]);
});
