/** The command `check`: what it asks a service, and what it says about the responses. */

import { createFakeService } from "inspection-findings/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { checkService } from "../../../src/js/command/check.js";
import { checkText } from "../../../src/js/command/check-text.js";
import { differencesOf, fieldTypesOf } from "../../../src/js/command/field-types.js";
import type { TokenHeader } from "../../../src/js/command/token.js";
import { startBrowser } from "../../install/package/page.js";
import { serve } from "../../wire/service/http-server.js";
import { before, exported, fake, prepareScene, printed, requests, run } from "./command-run.js";

prepareScene();

/** Stands for a preflight response that never comes whole. */
const BROKEN = 0;
const TOKEN = "a-token-that-must-stay-secret";

interface Answers {
  readonly counts?: object;
  /** The findings of each partition, of both kinds. */
  readonly partitions?: object[][];
  /** The response to a preflight request. */
  readonly preflight?: ResponseInit | "never";
}

/** Starts a service that answers so, and returns its URL. */
async function serviceOf({ counts, partitions = [[]], preflight }: Answers): Promise<string> {
  const server = await serve(({ method, url }) => {
    if (method === "OPTIONS" && preflight === "never") return new Promise(() => {});
    if (method === "OPTIONS") return new Response(null, { status: 204, ...(preflight as ResponseInit) });
    const index = /\/(?:Sentiment|Topics)\/(\d+)$/.exec(url)?.[1];
    const sentiment = { SentimentPartitions: partitions.length, SentimentFindings: partitions.flat().length };
    const known = { ...sentiment, TopicPartitions: 0, TopicFindings: 0, ...counts };
    return Response.json(index === undefined ? known : { Findings: partitions[Number(index)] });
  });
  onTestFinished(server.close);
  return `${server.origin}/`;
}

async function reportOf(url: string) {
  const env = { FINDINGS_URL: url, FINDINGS_TOKEN: TOKEN };
  return JSON.parse(await printed(["check", "42", "--json"], { env }));
}

test("a check reads the first and the last partition of each kind", async () => {
  const report = await reportOf(fake.baseUrl);
  expect(requests.map(({ url }) => url.replace(/.*\/42/, ""))).toEqual([
    ...["", "/Sentiment/0", "/Sentiment/5", "/Topics/0", "/Topics/1"],
  ]);
  expect(report).toMatchObject({
    inspectionKey: "42",
    requests: 5,
    counts: { sentiment: { partitions: 6, findings: 600 }, topics: { partitions: 2, findings: 30 } },
    isTokenSent: true,
    fields: { sentiment: { RespondentKey: ["integer"], "Topic.Offset": ["integer"], TopicGroup: ["null", "string"] } },
    compression: null,
    crossOrigin: null,
    differences: [],
  });
  expect(report.partitions).toMatchObject([
    { kind: "sentiment", index: 0, findings: 100 },
    { kind: "sentiment", index: 5, findings: 100 },
    { kind: "topics", index: 0, findings: 15 },
    { kind: "topics", index: 1, findings: 15 },
  ]);
});

test("a report has neither a text of a respondent nor the token", async () => {
  const comment = "Only a respondent wrote this.";
  const url = await serviceOf({ partitions: [[{ RespondentKey: 1, RespondentId: "r-17", Comment: comment }]] });
  for (const words of [["--json"], []]) {
    const report = await printed(["check", "42", ...words], { env: { FINDINGS_URL: url, FINDINGS_TOKEN: TOKEN } });
    for (const secret of [comment, "r-17", TOKEN]) expect(report).not.toContain(secret);
  }
});

const [sound = {}]: object[] = createFakeService().findings("sentiment");

test.for<[what: string, findings: object[], says: string[]]>([
  ["nothing for fields as they are documented, and others", [{ ...sound, More: [1] }], []],
  [
    "a field in another case",
    [{ ...sound, Comment: undefined, comment: "" }],
    ['no sentiment finding has Comment: use "comment", as the service writes it'],
  ],
  [
    "a missing field",
    [{ ...sound, StringKey: undefined }],
    ["no sentiment finding has StringKey: queries see it as missing"],
  ],
  [
    "a field of another type",
    [{ ...sound, RespondentKey: "1" }],
    ["RespondentKey of sentiment findings is string, documented as integer: pass your own type to the calls"],
  ],
  [
    "a field that some findings lack",
    [sound, { ...sound, Topic: undefined }],
    ["Topic of sentiment findings is missing, documented as object: pass your own type to the calls"],
  ],
])("a check reports %s", ([, findings, says]) => {
  // The fields are those of JSON.
  expect(differencesOf(fieldTypesOf(JSON.parse(JSON.stringify(findings))), "sentiment")).toEqual(says);
});

test("a key with a dot is not the field of an object", () => {
  expect(fieldTypesOf([{ "a.b": 1, a: { b: "x" } }, { "a.b": 2 }])).toEqual({
    "a\\.b": ["integer"],
    a: ["missing", "object"],
    "a.b": ["string"],
  });
});

test.for<[what: string, total: number | null, says: string]>([
  ["a wrong total", 3, "the total says 3 sentiment findings, and 2 of 2 partitions have 2"],
  ["that there is no total", null, "there is no total of sentiment findings"],
])("a check reports %s", async ([, SentimentFindings, says]) => {
  const url = await serviceOf({ partitions: [[sound], [sound]], counts: { SentimentFindings } });
  expect((await reportOf(url)).differences).toEqual([expect.stringContaining(says)]);
});

/** How a service treats pages of another origin: the values of its headers, of which an empty one is absent. */
const treatments: [TokenHeader, number, preflightOrigin: string, allowed: string, origin: string, exposed: string][] = [
  ["authorization", 200, "page", "Authorization, Authentication", "page", "Retry-After"],
  ["authentication", 204, "*", "x-other,AUTHENTICATION ,authorization", "*", "x, retry-after"],
  ["authorization", 204, "page", "*", "*", "*"],
  ["authentication", 200, "*", "x, *", "page", "ETag"],
  ["authorization", 301, "page", "authorization", "page", ""],
  ["authorization", 404, "page", "authorization", "page", ""],
  ["authorization", BROKEN, "page", "authorization", "page", ""],
  ["authorization", 204, "https://other.example", "authorization", "page", ""],
  ["authorization", 204, "", "authorization", "page", ""],
  ["authentication", 204, "page", "x-other", "page", ""],
  ["authorization", 204, "page", "authorization", "https://other.example", "*"],
  ["authorization", 204, "page", "authorization", "", ""],
];

test("a page may call a service, and read its headers, where a check says so, and only there", async () => {
  const browser = await startBrowser();
  const pages = await serve(() => new Response("<!doctype html>", { headers: { "content-type": "text/html" } }));
  const headersOf = (named: Record<string, string>) =>
    Object.entries(named).flatMap(([name, value]): [string, string][] =>
      value === "" ? [] : [[`access-control-${name}`, value === "page" ? pages.origin : value]],
    );
  const service = await serve(({ method, url }) => {
    const [, status, preflightOrigin, allowed, origin, exposed] = treatments[
      Number(url.split("/")[3])
    ] as (typeof treatments)[number];
    if (method !== "OPTIONS") {
      const counts = { SentimentPartitions: 0, SentimentFindings: 0, TopicPartitions: 0, TopicFindings: 0 };
      const headers = headersOf({ "allow-origin": origin, "expose-headers": exposed });
      const length = `${JSON.stringify(counts).length}`;
      return Response.json(counts, { headers: [...headers, ["retry-after", "1"], ["content-length", length]] });
    }
    if (status === BROKEN) throw new Error("the connection breaks");
    return new Response(null, {
      status,
      headers: headersOf({ "allow-origin": preflightOrigin, "allow-headers": allowed }),
    });
  });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await Promise.all([browser.close(), pages.close(), service.close()]);
  });
  vi.stubEnv("FINDINGS_TOKEN", TOKEN);
  const page = await browser.newPage();
  await page.goto(pages.origin);
  for (const [number, [tokenHeader]] of treatments.entries()) {
    const baseUrl = `${service.origin}/${number}/`;
    const target = { inspectionKey: "42", baseUrl, tokenHeader, origin: pages.origin };
    const report = await checkService(target, new AbortController().signal);
    const { crossOrigin } = report;
    const read = await page.evaluate(
      ([url, header]) =>
        fetch(url, { headers: { [header]: "token" } }).then(
          // The other header that a call reads needs no permission.
          ({ headers }) => headers.has("content-length") && headers.has("retry-after"),
          () => undefined,
        ),
      [`${baseUrl}Findings/42`, tokenHeader] as const,
    );
    const isExposed = ["*", "retry-after"].some((name) => crossOrigin?.exposed.includes(name));
    expect(
      [crossOrigin?.isAllowed, crossOrigin?.obstacles.length === 0, read ?? isExposed],
      `${treatments[number]}`,
    ).toEqual([...[read !== undefined, read !== undefined, isExposed]]);
    expect(/, but cannot read Retry-After: expose it /.test(checkText(report))).toBe(read === false);
  }
});

test("a preflight request without a response takes ten seconds at most, and loses no report", async () => {
  const url = await serviceOf({ preflight: "never" });
  // Ten seconds are a tenth of one here.
  const flags = before(
    "const real = setTimeout; globalThis.setTimeout = (call, time, ...rest) => real(call, time === 10_000 ? 100 : time, ...rest);",
  );
  const { stdout } = await run(["check", "42", "--origin", page], { flags, env: { FINDINGS_URL: url } });
  expect(stdout).toContain(
    `a page of ${page} may not call the service: the preflight request (OPTIONS) failed: no response within 10 s`,
  );
});

test.for<[words: string[], isEnough: boolean]>([
  [exported("findings.csv"), true],
  [["export", "42", "sentiment", "--per", "RespondentKey", "--by", "TopicGroup", "--to", "people.csv"], true],
  [["summary", "42", "--by", "TopicGroup"], true],
  [["check", "42"], true],
  [["counts", "42"], false],
])("%j, where the counts of topics are missing or wrong, needs no others: %s", async ([words, isEnough]) => {
  for (const counts of [{ TopicPartitions: undefined }, { TopicPartitions: "many" }]) {
    const { code, stdout, stderr } = await run(words, {
      env: { FINDINGS_URL: await serviceOf({ partitions: [[sound]], counts }) },
    });
    expect({ code, stderr }).toEqual(
      isEnough ? { code: 0, stderr: "" } : { code: 1, stderr: expect.stringContaining("TopicPartitions") },
    );
    if (words[0] === "check")
      expect(stdout).toMatch(/^differs {6}the counts of the service have no number TopicPartitions\. /m);
  }
});

test("a partition that fails does not keep a check from the others, and it ends with 1", async () => {
  fake.use({
    respond: ({ kind, partitionIndex }) =>
      kind === "sentiment" && partitionIndex === 0 ? new Response(null, { status: 500 }) : undefined,
  });
  const { code, stdout } = await run(["check", "42"]);
  expect(stdout).toMatch(/^failed {7}sentiment partition 0: .*500/m);
  expect(stdout).toMatch(/^sentiment {4}.*; partition 5: 100 findings/m);
  expect(code).toBe(1);
});

const page = "https://app.example";

test("the text of a check says what each answer means", async () => {
  const url = await serviceOf({ partitions: [[sound]], counts: { SentimentFindings: 2 } });
  const lines = (await printed(["check", "42", "--origin", page], { env: { FINDINGS_URL: url } })).split("\n");
  expect(lines[0]).toMatch(/^service {6}http:\/\/127\.0\.0\.1:\d+\/ responded after \d+ ms; 3 requests in all$/);
  expect(lines.slice(1).filter((line) => !/^sentiment/.test(line))).toEqual([
    "token        none was sent, and none was required",
    "topics       0 findings in 0 partitions",
    "compression  none: compress the partitions on the server, which makes them several times smaller",
    `pages        a page of ${page} may not call the service: Access-Control-Allow-Origin of the preflight response does not name it; Access-Control-Allow-Headers of the preflight response does not name authorization; Access-Control-Allow-Origin of a response to GET does not name it. Change the service, or use a proxy on your server`,
    'differs      the total says 2 sentiment findings, and 1 of 1 partitions have 1: calls reject with "incomplete", unless you pass completeness: "off"',
    "",
  ]);
});
