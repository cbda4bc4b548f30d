/** A run of the command: what it prints, the token that it sends, what interrupts it, and the memory that it needs. */

import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { isQuick } from "../../tier.js";
import { scenarioOf } from "../../wire/service/bodies.js";
import { serveFake } from "../../wire/service/http-server.js";
import {
  before,
  contentOf,
  exported,
  fake,
  findingsIn,
  prepareScene,
  printed,
  put,
  refused,
  requests,
  run,
  scene,
  untilSaved,
} from "./command-run.js";

prepareScene();

const TOKEN = "eyJ-a-token-that-must-stay-secret";
const NAME = "findings.ndjson";

test("--help, no word and --version print to the standard output", async () => {
  const help = await printed(["--help"]);
  expect(help).toMatch(/^Usage: npx inspection-findings COMMAND/);
  expect([await printed([]), await printed(["export", "--help"])]).toEqual([help, help]);
  expect(await printed(["--version"])).toBe(`${manifest.version}\n`);
});

test("counts prints the numbers of partitions and findings, as text and as JSON", async () => {
  const elsewhere = { env: { FINDINGS_URL: "http://127.0.0.1:9/" } };
  expect(await printed(["counts", "42", "--base-url", fake.baseUrl], elsewhere)).toBe(
    "kind       partitions  findings\nsentiment           6       600\ntopics              2        30\n",
  );
  expect(JSON.parse(await printed(["counts", "42", "--json"]))).toEqual({
    sentiment: { partitions: 6, findings: 600 },
    topics: { partitions: 2, findings: 30 },
  });
});

test.for([
  ["authorization", `Bearer ${TOKEN}`],
  ["authentication", TOKEN],
] as const)("the token is sent by --token-header %s alone, as %s", async ([header, value]) => {
  await printed(["counts", "42", "--token-header", header], { env: { FINDINGS_TOKEN: TOKEN } });
  const { authorization, authentication } = requests[0]?.headers ?? {};
  expect({ authorization, authentication }).toEqual({ [header]: value });
});

test("texts of the service cannot control the terminal, and a token in them is not printed", async () => {
  const Findings = [{ TopicGroup: "red\u001b[31m\u202e\n", Sentiment: 1 }];
  const counts = { SentimentPartitions: 1, SentimentFindings: 1, TopicPartitions: 0, TopicFindings: 0 };
  fake.use({ respond: ({ partitionIndex }) => Response.json(partitionIndex === undefined ? counts : { Findings }) });
  const summary = await printed(["summary", "42", "--by", "TopicGroup"]);
  expect(summary).toMatch(/^red\\u001b\[31m\\u202e\\u000a {2}/m);
  fake.use({ respond: () => Response.json({ errors: ["\u001b[2Jgone"] }) });
  expect(await refused(["counts", "42"])).toContain("\\u001b[2Jgone");
  fake.use({ respond: () => new Response(TOKEN, { status: 403 }) });
  const message = await refused(["counts", "42"], { env: { FINDINGS_TOKEN: TOKEN } });
  expect(message).toContain("403");
  expect(message).not.toContain(TOKEN);
});

test("on a terminal, progress is one line that is replaced, unless the terminal cannot replace it", async () => {
  const flags = before("process.stderr.isTTY = true;");
  const { code, stdout, stderr } = await run(exported("findings.csv"), { flags, env: { TERM: "xterm" } });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain("\r\x1b[K6 of 6 partitions fetched\r\x1b[K1 of 6 partitions written");
  expect(stderr.endsWith("\r\x1b[K600 findings in findings.csv\n")).toBe(true);
  expect(await printed(exported("findings.csv"), { flags, env: { TERM: "dumb" } })).toBe("");
});

test.for([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "%s ends an export with %i and leaves the file of yesterday, and the next export continues",
  async ([signal, expected]) => {
    put(NAME, "the export of yesterday");
    let child: ChildProcess | undefined;
    const endWhere = (saved: number) => {
      scene.beforeResponse = async ({ url }) => {
        if (!url.endsWith("/2")) return;
        await untilSaved(NAME, saved);
        child?.kill(signal);
        await new Promise(() => {});
      };
      const onStart = (started: ChildProcess) => {
        child = started;
      };
      return { onStart };
    };
    const message = await refused(exported(NAME), endWhere(5), expected);
    expect(message).toBe("inspection-findings: interrupted; run the command again to continue\n");
    expect(contentOf(NAME).toString()).toBe("the export of yesterday");
    const whole = [...exported("people.csv"), "--per", "RespondentId", "--by", "TopicGroup"];
    expect(await refused(whole, endWhere(5), expected)).toBe("inspection-findings: interrupted\n");
    scene.beforeResponse = undefined;
    fake.reset();
    expect(await printed(exported(NAME))).toBe("");
    expect(fake.requests.filter(({ url }) => url.includes("/Sentiment/"))).toHaveLength(1);
    expect(findingsIn(NAME)).toEqual(fake.findings("sentiment"));
    expect(readdirSync(scene.folder)).toEqual([NAME]);
  },
);

test("an export whose total is another writes no file, and does not continue one whose total was right", async () => {
  fake.use("wrong-total");
  const message = /expected 601 sentiment findings of inspection 42, received 600; .* re-analysed/;
  expect(await refused(exported(NAME))).toMatch(message);
  fake.use(scenarioOf(['{"Findings":[{},{}]}'], 1));
  expect(await refused(exported(NAME))).toContain("expected 1 sentiment findings of inspection 42, received 2");
  fake.use("wrong-total");
  expect(readdirSync(scene.folder)).toEqual([]);
  fake.use({
    respond: ({ partitionIndex }) => (partitionIndex === 2 ? new Response(null, { status: 404 }) : undefined),
  });
  expect(await refused(exported(NAME))).toMatch(/sentiment partition 2 of inspection 42 .*404/);
  fake.use("wrong-total");
  for (const kind of ["sentiment", "topics"]) {
    expect(await refused(exported(NAME, kind))).toMatch(/Delete the folder to begin again\.\n$/);
  }
});

test.skipIf(isQuick)(
  "the memory of an export does not depend on the size of the inspection",
  async () => {
    // What is in use after a garbage collection, where it was most.
    const flags = before(`
    import { writeFileSync } from "node:fs";
    let peak = 0;
    setInterval(() => {
      gc();
      const { heapUsed, external } = process.memoryUsage();
      peak = Math.max(peak, heapUsed + external);
    }, 50).unref();
    process.on("exit", () => writeFileSync("peak", String(peak)));`);
    for (const name of ["findings.parquet", "findings.csv"]) {
      const peaks: number[] = [];
      for (const partitions of [60, 240]) {
        const { fake: large, close } = await serveFake({ sentiment: { findings: 2_000 * partitions, partitions } });
        await printed([...exported(name), "--base-url", large.baseUrl], { flags: ["--expose-gc", ...flags] });
        await close();
        peaks.push(Number(contentOf("peak")));
      }
      // What the larger one has more takes 200 MB as JSON, and 127 MB as a table.
      const [small = 0, large = 0] = peaks;
      expect(large - small, `${name}: from ${small} bytes`).toBeLessThan(50_000_000);
    }
  },
  600_000,
);
