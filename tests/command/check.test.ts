/** The command `check`: what it asks a service, and what it says about the responses. */

import { createFakeService } from "inspection-findings/testing";
import { expect, onTestFinished, test } from "vitest";
import { differencesOf, fieldTypesOf } from "../../src/js/command/field-types.js";
import { serve } from "../service/http-server.js";
import { fake, prepareScene, printed, refused, requests } from "./command-run.js";

prepareScene();

const TOKEN = "a-token-that-must-stay-secret";

interface Answers {
  readonly counts?: object;
  /** The findings of each partition, of both kinds. */
  readonly partitions?: object[][];
  readonly headers?: Record<string, string>;
  /** The response to a preflight request. */
  readonly preflight?: ResponseInit;
  readonly status?: number;
}

/** Starts a service that answers so, and returns its URL. */
async function serviceOf({
  counts,
  partitions = [[]],
  headers = {},
  preflight,
  status = 200,
}: Answers): Promise<string> {
  const server = await serve(({ method, url }) => {
    if (method === "OPTIONS") return new Response(null, { status: 204, ...preflight });
    if (status !== 200) return Response.json({ errors: ["Who are you?"] }, { status, headers });
    const index = /\/(?:Sentiment|Topics)\/(\d+)$/.exec(url)?.[1];
    const sentiment = { SentimentPartitions: partitions.length, SentimentFindings: partitions.flat().length };
    const known = { ...sentiment, TopicPartitions: 0, TopicFindings: 0, ...counts };
    return Response.json(index === undefined ? known : { Findings: partitions[Number(index)] }, { headers });
  });
  onTestFinished(server.close);
  return `${server.origin}/`;
}

async function reportOf(url: string, words: string[] = [], token: string = TOKEN) {
  const env = { FINDINGS_URL: url, FINDINGS_TOKEN: token };
  return JSON.parse(await printed(["check", "42", "--json", ...words], { env }));
}

test("a check reads the first and the last partition of each kind, and one of them twice", async () => {
  const report = await reportOf(fake.baseUrl);
  expect(requests.map(({ url }) => url.replace(/.*\/42/, ""))).toEqual([
    ...["", "/Sentiment/0", "/Sentiment/0", "/Sentiment/5", "/Topics/0", "/Topics/1"],
  ]);
  expect(report).toMatchObject({
    inspectionKey: "42",
    requests: 6,
    counts: { sentiment: { partitions: 6, findings: 600 }, topics: { partitions: 2, findings: 30 } },
    token: { isSent: true, endsAt: null },
    fields: { sentiment: { RespondentKey: ["integer"], "Topic.Offset": ["integer"], TopicGroup: ["null", "string"] } },
    compression: null,
    isRepeatable: true,
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

test.for<[what: string, total: number | null, says: string]>([
  ["a wrong total", 3, "the total says 3 sentiment findings, and 2 of 2 partitions have 2"],
  ["that there is no total", null, "there is no total of sentiment findings"],
])("a check reports %s", async ([, SentimentFindings, says]) => {
  const url = await serviceOf({ partitions: [[sound], [sound]], counts: { SentimentFindings } });
  expect((await reportOf(url)).differences).toEqual([expect.stringContaining(says)]);
});

test("a check says when a JSON web token ends", async () => {
  const payload = Buffer.from(JSON.stringify({ exp: 1_800_000_000 })).toString("base64url");
  const { token } = await reportOf(await serviceOf({}), [], `Bearer eyJhbGciOiJIUzI1NiJ9.${payload}.c2ln`);
  expect(token).toEqual({ isSent: true, endsAt: "2027-01-15T08:00:00.000Z" });
});

test("a check reads validators, compression and the clock of the service", async () => {
  const headers = { etag: '"1"', "last-modified": new Date(0).toUTCString(), date: new Date(0).toUTCString() };
  const report = await reportOf(await serviceOf({ partitions: [[sound]], headers }));
  expect(report).toMatchObject({ etag: true, lastModified: true, compression: null });
  expect(report.clockAhead).toBeLessThan(-1e12);
  expect(await reportOf(fake.baseUrl)).toMatchObject({ etag: false, lastModified: false, clockAhead: 0 });
});

const page = "https://app.example";
const permission = { "access-control-allow-origin": page, "access-control-allow-headers": "Authorization" };

test.for([
  ["that names the page and the header", { headers: permission }, true],
  [
    "with a wildcard for headers, which does not cover authorization",
    { headers: { ...permission, "access-control-allow-headers": "*" } },
    false,
  ],
  ["for another page", { headers: { ...permission, "access-control-allow-origin": "https://other.example" } }, false],
  ["without permission", {}, false],
  ["with another status", { headers: permission, status: 405 }, false],
] as const)("a page may call a service whose preflight has a response %s: %s", async ([, preflight, isAllowed]) => {
  const { crossOrigin } = await reportOf(await serviceOf({ preflight }), ["--origin", `${page}/survey/`]);
  expect(crossOrigin).toMatchObject({ origin: page, isAllowed });
});

test("a check of a service that refuses the token ends with its error", async () => {
  const env = { FINDINGS_URL: await serviceOf({ status: 401 }), FINDINGS_TOKEN: TOKEN };
  expect(await refused(["check", "42"], { env })).toMatch(/Who are you\?.*The token was read from FINDINGS_TOKEN\./s);
});

test("the text of a check says what each answer means", async () => {
  const url = await serviceOf({ partitions: [[sound]], counts: { SentimentFindings: 2 } });
  const lines = (await printed(["check", "42", "--origin", page], { env: { FINDINGS_URL: url } })).split("\n");
  expect(lines[0]).toMatch(/^service {6}http:\/\/127\.0\.0\.1:\d+\/ answered after \d+ ms; 4 requests in all$/);
  expect(lines.slice(1).filter((line) => !/^(sentiment|fields)/.test(line))).toEqual([
    "token        none was sent, and none was required",
    "topics       0 findings in 0 partitions",
    "compression  none: compress the partitions on the server, which makes them several times smaller",
    "validators   none: a second visit can keep a table, but its browser cannot revalidate partitions",
    "same again   two responses for one partition have the same bytes",
    "clock        within a second of that of this machine",
    `pages        a page of ${page} may not call the service (preflight: status 204): use a proxy on your server`,
    'differs      the total says 2 sentiment findings, and 1 of 1 partitions have 1: calls reject with "incomplete", unless you pass completeness: "off"',
    "",
  ]);
});
