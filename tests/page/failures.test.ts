/** Failures: each code with the members of its error, its message, and what an end user reads about it. */

import type { Options } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { reasonOf } from "../../src/js/core/host/network-reason.js";
import { allFindings, countsOf, findingsOf } from "./inspection.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { FindingsClient, FindingsError, getFindings, getPartition, getPartitionCounts, messageOf } from "./place.js";
import { noResponse, serve } from "./service.js";
import { withoutBackoff } from "./timers.js";
import { type Asked, Wire } from "./wire.js";

/** What every error has: its stack, its message, and in some engines where it was thrown. */
const ofEveryError = ["stack", ...Object.getOwnPropertyNames(new Error("message"))];

/** All members of an error except those that every error has. */
function known(failure: FindingsError) {
  const names = Object.getOwnPropertyNames(failure).filter((name) => !ofEveryError.includes(name));
  const members = names.map((name) => [name, Reflect.get(failure, name)]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The URL of a path of the service, which is at the page's base URL. */
function urlOf(path: string) {
  return new URL(path, document.baseURI).href;
}

test("a failure is an Error and a FindingsError, by class and by name, and has the key as the caller gave it", async () => {
  serve({ respond: () => Response.json({ errors: ["No."] }, { status: 404 }) });
  for (const key of [7, -7, 2n ** 63n - 1n]) {
    const failure = await failureOf(getFindings(key, "topics"));
    expect(failure).toBeInstanceOf(Error);
    expect(String(failure)).toBe(`FindingsError: ${failure.message}`);
    expect(Object.keys(failure)).not.toContain("name");
    expect(failure.inspectionKey).toBe(key);
  }
});

const ofCall = { kind: "topics", inspectionKey: 1, messages: [] };
const ofPartition = { ...ofCall, partitionIndex: 0, url: urlOf("Findings/1/Topics/0"), attempts: 1 };
const ofHttp = { code: "http", inspectionKey: 7, status: 404, attempts: 1, messages: [] };

test.for<[string, failing: number | undefined, call: () => Promise<unknown>, members: object]>([
  ["counts", -1, () => getPartitionCounts(7), { ...ofHttp, url: urlOf("Findings/7") }],
  ["counts of a kind", -1, () => getFindings(7, "topics"), { ...ofHttp, kind: "topics", url: urlOf("Findings/7") }],
  [
    "a partition",
    2,
    () => getFindings(7, "sentiment", { concurrency: 1 }),
    { ...ofHttp, kind: "sentiment", partitionIndex: 2, url: urlOf("Findings/7/Sentiment/2") },
  ],
  ["a call", undefined, () => getFindings(1, "topics", { totalTimeout: 80 }), { ...ofCall, code: "timeout" }],
])("the error of %s has the members that identify it, and no other", async ([, failing, call, members]) => {
  const late = (asked: Asked) => (failing === undefined && asked.kind ? noResponse() : undefined);
  serve({ respond: (asked) => (asked.index === failing ? new Response(null, { status: 404 }) : late(asked)) });
  expect(known(await failureOf(call()))).toEqual(members);
});

const offline = new TypeError("offline");
const errors = ["One.", "Two."];
const unavailable = () => Response.json({ errors }, { status: 503, headers: { "retry-after": "120" } });
const isOffline = () => Promise.reject(offline);

test.for<[code: string, respond: () => unknown, options: Options, members: object, message?: string]>([
  ["network", () => {}, { fetch: isOffline, retries: 2 }, { attempts: 3, cause: offline }],
  ["timeout", noResponse, { timeout: 50, retries: 1 }, { attempts: 2 }],
  ["http", unavailable, {}, { status: 503, retryAfter: 120_000, messages: errors }],
  ["http", () => new Response(null, { status: 404 }), {}, { status: 404 }, "Check the partition index, too"],
  ["unauthorized", () => Response.json({ errors: ["Who?"] }, { status: 403 }), {}, { status: 403, messages: ["Who?"] }],
  ["too-large", () => new Response(" ".repeat(1001)), { maxPartitionBytes: 1000 }, {}],
  [
    "service",
    () => Response.json({ Findings: findingsOf(0), errors }),
    {},
    { messages: errors, findings: findingsOf(0) },
  ],
  ["decode", () => new Response('{"Findings":[{"a":{"b":nul}}]}'), {}, {}, "unexpected } (at byte 26, in Findings[0])"],
])("the error of code %s has its members, and no other", async ([code, respond, options, members, message = ""]) => {
  serve({ respond });
  const failure = await failureOf(getPartition(1, "topics", 0, options));
  expect(known(failure)).toEqual({ ...ofPartition, code, ...members });
  expect(failure.message).toContain(message);
});

// P3
test.for([[], ["x"], "x", {}])(
  "a response whose errors are %j is a failure with any status, with and without findings",
  async (errors) => {
    const codes = { 200: "service", 400: "http", 401: "unauthorized", 503: "http" };
    for (const [status, code] of Object.entries(codes)) {
      for (const part of [{}, { ...countsOf(0), Findings: findingsOf(0) }]) {
        const fetch = async () => Response.json({ ...part, errors }, { status: Number(status) });
        expect(await failureOf(getPartition(1, "topics", 0, { fetch, retries: 0 }))).toMatchObject({ code });
        expect(await failureOf(getPartitionCounts(1, { fetch, retries: 0 }))).toMatchObject({ code });
      }
    }
  },
);

test.for<[what: string, headers: Record<string, string>, requestId: string | undefined]>([
  ["of the first header that it has", { "x-correlation-id": "other", "request-id": "7b3f" }, "7b3f"],
  ["of at most 200 characters", { "x-request-id": "7".repeat(300) }, "7".repeat(200)],
  ["without a secret", { "x-request-id": "Bearer s3cr3t" }, "(left out: it contains the value of a request header)"],
  ["if it has one", {}, undefined],
])("an error has the id of the request, as the last response says it, %s", async ([, headers, requestId]) => {
  const responses = [new Response(null, { status: 503, headers: { "x-request-id": "first" } })];
  const respond = () => responses.pop() ?? Response.json({ errors: ["No."] }, { headers });
  const { fetch } = new Wire({ respond });
  using client = new FindingsClient({ fetch, headers: { authorization: "Bearer s3cr3t" } });
  withoutBackoff();
  const failure = await failureOf(client.getPartition(1, "topics", 0));
  expect([failure.requestId, JSON.parse(JSON.stringify(failure)).requestId]).toEqual([requestId, requestId]);
});

// P2
test("incomplete has what was expected and received, and the findings, or a table that outlives the client", async () => {
  serve({ counts: { TopicPartitions: 3, TopicFindings: 7 } });
  const failure = await failureOf(getFindings(1, "topics"));
  const members = { ...ofCall, code: "incomplete", expected: 7, received: 6 };
  expect(known(failure)).toEqual({ ...members, findings: allFindings(3) });
  expect(failure.message).toContain("expected 7 findings, received 6; the inspection was probably re-analysed");
  const client = new FindingsClient();
  const { table, ...others } = known(await failureOf(client.loadTable(1, "topics")));
  client.free();
  expect([others, table.toArray()]).toEqual([members, allFindings(3)]);
  table.free();
});

describe("a network error", () => {
  const coded = (error: Error, code: string) => Object.assign(error, { code });
  const wrapped = (cause: Error) => new Error("fetch failed", { cause });
  const lost = coded(new Error("getaddrinfo ENOTFOUND x"), "ENOTFOUND");
  const untrusted = coded(new Error("no certificate; try --use-system-ca"), "UNABLE_TO_VERIFY_LEAF_SIGNATURE");
  const hidden =
    "no response: offline. The browser's console names the reason, which pages cannot read: the service cannot be reached, the " +
    "connection broke, the service does not allow the page's origin (CORS), connect-src of the page's content security policy " +
    "does not allow the URL, or the user does not allow the page to access the local network or this device.";

  test.for<[string, error: Error, attempts: number, message: string, onLine?: boolean]>([
    ["of a page says what it cannot know", offline, 2, hidden],
    ["names a device that is offline", offline, 2, "no response: offline. The device is offline.", false],
    ["of a custom fetch is retried, and says nothing about a page", wrapped(lost), 2, `no response: ${lost.message}`],
    ["of a certificate is not, and keeps the advice of the host", wrapped(untrusted), 1, untrusted.message],
  ])("%s", async ([, error, attempts, message, onLine = true]) => {
    withoutBackoff();
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(onLine);
    const { fetch, asked } = new Wire({ respond: () => Promise.reject(error) });
    const failure = await failureOf(getPartition(1, "topics", 4, { fetch, retries: 1 }));
    expect(failure).toMatchObject({ code: "network", partitionIndex: 4, attempts, cause: error });
    const tries = attempts === 1 ? "" : `, ${attempts} attempts`;
    const beginning = `topics partition 4 of inspection 1 (${urlOf("Findings/1/Topics/4")}${tries}): `;
    expect(failure.message.startsWith(beginning)).toBe(true);
    expect(failure.message.endsWith(message)).toBe(true);
    expect(messageOf(failure)).toBe(onLine ? "The service cannot be reached." : "You are offline.");
    expect(asked).toHaveLength(attempts);
  });

  test.for<[string, unknown, string]>([
    ["an error whose message has its code", lost, "getaddrinfo ENOTFOUND x"],
    ["an error with a code only", coded(new AggregateError([]), "ECONNREFUSED"), "ECONNREFUSED"],
    ["a cause with a code", wrapped(coded(new Error("closed"), "UND_ERR_SOCKET")), "UND_ERR_SOCKET: closed"],
    ["a cause with a message only, as in Deno", wrapped(new Error("dns error")), "dns error"],
    ["several causes", wrapped(wrapped(new Error("", { cause: new Error("bad port") }))), "bad port"],
    ["a DOMException", new DOMException("no", "NetworkError"), "no"],
    ["text", "as text", "as text"],
    ["a long text", "x".repeat(301), `${"x".repeat(300)}…`],
    ["nothing that says something", {}, ""],
  ])("of a fetch that rejects with %s has its code and its message", ([, cause, reason]) => {
    expect(reasonOf(cause)).toBe(reason);
  });
});

test("the cause of a failed request has its name, message, code and stack, and no other member; four levels are kept, and what is no object", async () => {
  const causeOf = async (cause: unknown): Promise<any> =>
    (await failureOf(getPartition(1, "topics", 0, { fetch: () => Promise.reject(cause), retries: 0 }))).cause;
  const round = Object.assign(new TypeError("fetch failed"), { code: "ECONNREFUSED", request: {} });
  round.cause = round;
  const told = ({ name, message, code, stack }: any) => [name, message, code, stack];
  let copy = await causeOf(round);
  for (let level = 1; level <= 4; level++) {
    expect([copy instanceof TypeError, ...told(copy), ...Object.keys(copy)]).toEqual([true, ...told(round), "code"]);
    copy = copy.cause;
  }
  expect(copy).toBeUndefined();
  for (const primitive of ["no route", 7, null, 7n, Symbol.iterator]) expect(await causeOf(primitive)).toBe(primitive);
});

describe("a response that denies access", () => {
  const check = "check where its token comes from, such as an environment variable that is not set.";
  const noBearer =
    'does not begin with "bearer ": a bearer token has this prefix, and an authentication token belongs in the header';
  const misplaced = 'begins with "bearer ": a bearer token belongs in the header authorization.';

  test.for<[number, Record<string, string>, string]>([
    [401, { "x-key": "1" }, "The request had neither an authorization nor an authentication header."],
    [401, { Authorization: "eyJh" }, `The value of the authorization header ${noBearer} authentication.`],
    [401, { Authorization: "" }, `The authorization header has no token: ${check}`],
    [401, { Authorization: "Bearer " }, `The authorization header has no token: ${check}`],
    [401, { authentication: "" }, `The authentication header has no token: ${check}`],
    [401, { authentication: "bearer eyJh" }, `The value of the authentication header ${misplaced}`],
    [401, { Authorization: "bearer eyJh" }, "Check the credentials."],
    [401, { authentication: "eyJh" }, "Check the credentials."],
    [403, {}, "The credentials may lack permission for this inspection."],
  ])("with %i to the headers %j says what they lack", async ([status, headers, advice]) => {
    const fetch = async () => new Response(null, { status });
    const { message } = await failureOf(getPartition(1, "topics", 0, { fetch, headers }));
    expect(message.split(": ").slice(1).join(": ")).toBe(
      `the service denied access with HTTP status ${status}. ${advice}`,
    );
  });
});

describe("a failure as JSON", () => {
  const jsonOf = (failure: unknown) => JSON.parse(JSON.stringify(failure));
  const comment = "My doctor is Mr Example.";
  const Findings = [{ Comment: comment }];

  test.for([
    ["one partition", (client) => client.getPartition(1, "topics", 1), ["findings"]],
    ["a call for findings", (client) => client.getFindings(1, "topics"), ["findings", "failures", "resume"]],
    ["a call for a table", (client) => client.loadTable(1, "topics"), ["table", "failures", "resume"]],
  ] as [string, (client: FindingsClient) => Promise<unknown>, string[]][])(
    "of %s has no findings",
    async ([, call, names]) => {
      serve({
        respond: ({ index }) => [Response.json({ Findings }), Response.json({ Findings, errors: ["No."] })][index],
      });
      using client = new FindingsClient({ failurePolicy: "collect" });
      const failure = await failureOf(call(client));
      for (const name of names) {
        expect(Reflect.get(failure, name), name).toBeDefined();
        expect(Object.keys(failure)).not.toContain(name);
      }
      expect(JSON.stringify(failure)).toContain(failure.code);
      expect(JSON.stringify([failure, { ...failure }])).not.toContain(comment);
      expect(failure.table?.at(0) ?? failure.findings?.[0]).toEqual(Findings[0]);
      failure.table?.free();
    },
  );

  test("has its name, its message, its other members, its cause and the cause of that", async () => {
    const cause = new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code: 7 }) });
    const failure = await failureOf(getPartition(1, "topics", 0, { fetch: () => Promise.reject(cause), retries: 0 }));
    const { message } = failure;
    const causes = { name: "TypeError", message: "fetch failed", cause: { name: "Error", message: "no", code: 7 } };
    expect(jsonOf(failure)).toEqual({ name: "FindingsError", message, ...ofPartition, code: "network", cause: causes });
  });

  test("has at most ten missing partitions, without findings", async () => {
    serve({ partitions: 13, respond: ({ kind }) => kind && Response.json({ Findings, errors: ["One."] }) });
    const failure = await failureOf(getFindings(1n, "topics", { failurePolicy: "collect" }));
    const { failures, ...others } = jsonOf(failure);
    expect(others).toMatchObject({ name: "FindingsError", code: "partial", inspectionKey: "1", messages: [] });
    expect(failures).toHaveLength(10);
    const members = { code: "service", inspectionKey: "1", url: urlOf("Findings/1/Topics/9"), partitionIndex: 9 };
    const { message } = (failure.failures as any)[9].error;
    expect(failures[9]).toEqual({
      partitionIndex: 9,
      error: { name: "FindingsError", message, ...ofPartition, ...members, messages: ["One."] },
    });
  });

  test("is there whatever its members are", () => {
    const throwing = () => expect.fail("read");
    const round: any = new FindingsError("memory", "round");
    const unreadable = Object.create(null, { name: { get: throwing } });
    for (const value of [1n, [1n, {}], Symbol("odd"), { toJSON: throwing }, unreadable]) {
      Object.assign(round, { cause: value, url: value, failures: [value], messages: value });
      expect(jsonOf(round)).toMatchObject({ name: "FindingsError", code: "memory" });
    }
    round.cause = round;
    expect(jsonOf(round).cause).toMatchObject({ message: "round", cause: { message: "round" } });
  });
});

describe("instanceof FindingsError", () => {
  test("holds for errors of other entries and copies of the package", async () => {
    const files = ["manual.js", "manual.js?copy", "inline.js"];
    const others = files.map((file) => import(/* @vite-ignore */ `${location.origin}/package/${file}`));
    const classes = [FindingsError, ...(await Promise.all(others)).map((entry) => entry.FindingsError)];
    expect(new Set(classes).size).toBe(4);
    for (const one of classes) {
      for (const other of classes) expect(new one("network", "message") instanceof other).toBe(true);
    }
  });

  test("holds for nothing else, and of a class that extends it for its own instances", () => {
    for (const value of [undefined, "FindingsError", {}, new Error("no"), FindingsError]) {
      expect((value as any) instanceof FindingsError).toBe(false);
    }
    class Ours extends (FindingsError as any) {}
    const [ours, base]: unknown[] = [Ours, FindingsError].map((made) =>
      Reflect.construct(made, ["network", "message"]),
    );
    expect([ours instanceof Ours, ours instanceof FindingsError, base instanceof Ours]).toEqual([true, true, false]);
  });
});

test("a FindingsError can be constructed by callers", () => {
  const members = { kind: "topics" as const, attempts: 2, cause: new Error("cause") };
  const error = new FindingsError("network", "message", { ...members, messages: undefined });
  expect(error).toMatchObject({ code: "network", message: "message", ...members, messages: [] });
});

describe("the message for an end user", () => {
  const errorOf = (code: string, details = {}) => new FindingsError(code as "load", "technical", details);
  const unknown = "Something went wrong on this page.";
  const tooLong = "The service took too long. Please try again.";
  const tooLarge = "This inspection is too large for this device.";
  const [ended, denied] = ["Your session has ended. Please sign in again.", "Access to this inspection was denied."];
  const maybeEnded = "Your session may have ended. Please sign in again.";
  const closed = AbortSignal.abort("closed");

  test.for<[string, unknown, message: string | undefined, signal?: AbortSignal]>([
    ["a wrong key or URL", errorOf("http", { status: 404 }), "The findings of this inspection cannot be found."],
    ["a status", errorOf("http", { status: 503 }), "The service is not available now. Please try again later."],
    ["a redirect", errorOf("http", { status: 302 }), maybeEnded],
    ["a redirect whose status is hidden", errorOf("http"), maybeEnded],
    ["an expired token", errorOf("unauthorized", { status: 401 }), ended],
    ["a missing permission", errorOf("unauthorized", { status: 403 }), denied],
    ["errors of the service", errorOf("service", { messages: ["No.", "Wait."] }), "No. Wait."],
    ["errors without a text", errorOf("service", { messages: [] }), "The service reported an error."],
    ["a timeout", errorOf("timeout"), tooLong],
    ["memory", new FindingsError("memory", "out of memory; free tables"), tooLarge],
    ["a stop that is not of memory", new FindingsError("memory", "WebAssembly has stopped (Error)."), unknown],
    ["a code of a newer copy", errorOf("later"), unknown],
    ["an abort without a reason", AbortSignal.abort().reason, undefined],
    ["an abort with the caller's own reason", "closed", undefined, closed],
    ["another reason than that of the signal", "other", unknown, closed],
    ["AbortSignal.timeout()", new DOMException("signal timed out", "TimeoutError"), tooLong],
    ["an error of the caller", new TypeError("mine"), unknown],
    ["nothing", undefined, undefined],
    ["a symbol", Symbol("s"), unknown],
  ])("about %s says what an end user has to know", ([, error, message, signal]) => {
    expect(messageOf(error, signal)).toBe(message);
  });

  test("is undefined for a call that free() has ended", async () => {
    const client = new FindingsClient({ fetch: () => new Promise(() => {}) });
    const [call, live] = [rejectionOf(client.loadTable(1, "topics")), client.watchTable(1, "topics")];
    live.free();
    expect(messageOf(await rejectionOf(live.done))).toBeUndefined();
    client.free();
    expect(messageOf(await call)).toBeUndefined();
  });
});
