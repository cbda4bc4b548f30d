/** Failures: each code with the members of its error, its message, and what an end user reads about it. */

import type { FindingsErrorCode, FindingsErrorDetails, Options } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { reasonOf } from "../../src/js/host/network-reason.js";
import { json, refusal } from "../service/responses.js";
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { FindingsClient, FindingsError, getFindings, getPartition, getPartitionCounts, messageOf } from "./place.js";
import { noResponse, serve } from "./service.js";
import { withoutBackoff } from "./timers.js";
import { Wire } from "./wire.js";

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

const notFound = () => new Response(null, { status: 404 });

test("a failure is an Error and a FindingsError, by class and by name, and has the key as the caller gave it", async () => {
  serve({ respond: notFound });
  for (const key of [7, -7, 2n ** 63n - 1n]) {
    const failure = await failureOf(getFindings(key, "topics"));
    expect(failure).toBeInstanceOf(Error);
    expect(String(failure)).toBe(`FindingsError: ${failure.message}`);
    expect(Object.keys(failure)).not.toContain("name");
    expect(failure.inspectionKey).toBe(key);
  }
});

test("a failure has the kind, the partition, even 0, and the URL, where it has them", async () => {
  const failed = { code: "http", inspectionKey: 7, status: 404, attempts: 1, messages: [] };
  const ofCounts = { ...failed, url: urlOf("Findings/7") };
  for (const [failing, members] of [
    [-1, ofCounts],
    [0, { ...failed, partitionIndex: 0, url: urlOf("Findings/7/Sentiment/0") }],
    [2, { ...failed, partitionIndex: 2, url: urlOf("Findings/7/Sentiment/2") }],
  ] as const) {
    serve({ respond: ({ index }) => (index === failing ? notFound() : undefined) });
    const failure = await failureOf(getFindings(7, "sentiment", { concurrency: 1 }));
    expect(known(failure)).toEqual({ ...members, kind: "sentiment" });
  }
  serve({ respond: notFound });
  expect(known(await failureOf(getPartitionCounts(7)))).toEqual(ofCounts);
});

const about = {
  kind: "topics",
  inspectionKey: 1,
  partitionIndex: 0,
  url: urlOf("Findings/1/Topics/0"),
  attempts: 1,
  messages: [],
};

describe("the code", () => {
  const cause = new TypeError("offline");
  const errors = ["One.", "Two."];

  const codes: Record<
    string,
    { respond?: () => Response | Promise<Response>; options?: Options; members?: object; message?: string }
  > = {
    network: {
      options: { fetch: () => Promise.reject(cause), retries: 2 },
      members: { attempts: 3, cause },
    },
    timeout: { respond: noResponse, options: { timeout: 50, retries: 1 }, members: { attempts: 2 } },
    http: {
      respond: () => json({ errors }, { status: 503, headers: { "retry-after": "120" } }),
      members: { status: 503, retryAfter: 120_000, messages: errors },
    },
    unauthorized: {
      respond: () => refusal(403, "Who are you?"),
      members: { status: 403, messages: ["Who are you?"] },
    },
    "too-large": { respond: () => new Response(" ".repeat(1001)), options: { maxPartitionBytes: 1000 } },
    service: {
      respond: () => json({ Findings: findingsOf(0), errors }),
      members: { messages: errors, findings: findingsOf(0) },
    },
    decode: {
      respond: () => new Response('{"Findings":[{"Topic":{"Text":nul}}]}'),
      message: "(at byte 33, $.Findings[0].Topic.Text)",
    },
  };

  test.for(Object.entries(codes))("%s has its members", async ([code, { respond, options, members, message = "" }]) => {
    serve({ respond });
    const failure = await failureOf(getPartition(1, "topics", 0, options));
    expect(known(failure)).toEqual({ ...about, code, ...members });
    expect(failure.message).toContain(message);
  });

  test("timeout of the whole call has the kind and the key", async () => {
    serve({ respond: ({ kind }) => (kind === undefined ? undefined : noResponse()) });
    const failure = await failureOf(getFindings(1, "topics", { totalTimeout: 80 }));
    expect(known(failure)).toEqual({ code: "timeout", kind: "topics", inspectionKey: 1, messages: [] });
  });

  test("incomplete has what was expected and received, and the findings, or a table that outlives the client", async () => {
    serve({ counts: { TopicPartitions: 3, TopicFindings: 7 } });
    const failure = await failureOf(getFindings(1, "topics"));
    const members = { code: "incomplete", kind: "topics", inspectionKey: 1, messages: [], expected: 7, received: 6 };
    expect(known(failure)).toEqual({ ...members, findings: allFindings(3) });
    expect(failure.message).toContain("expected 7 findings, received 6; the inspection was probably re-analysed");
    const client = new FindingsClient();
    const { table, ...others } = known(await failureOf(client.loadTable(1, "topics")));
    client.free();
    expect([others, table.toArray()]).toEqual([members, allFindings(3)]);
    table.free();
  });
});

describe("a network error", () => {
  beforeEach(withoutBackoff);

  test("says what a page cannot know about a request without a response", async () => {
    const cause = new TypeError("Failed to fetch");
    const { fetch } = new Wire({ respond: () => Promise.reject(cause) });
    const failure = await failureOf(getPartition(1, "topics", 4, { fetch, retries: 1 }));
    expect(failure).toMatchObject({ code: "network", partitionIndex: 4, attempts: 2, cause });
    expect(failure.message).toBe(
      `topics partition 4 of inspection 1 (${urlOf("Findings/1/Topics/4")}, 2 attempts): ` +
        "no response: Failed to fetch. The browser's console names the reason, which pages cannot read: the service cannot " +
        "be reached, the connection broke, the service does not allow the page's origin (CORS), connect-src of the page's " +
        "content security policy does not allow the URL, or the user does not allow the page to access the local network or " +
        "this device.",
    );
  });

  test("of a real request without a response says the same", async () => {
    const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: "http://127.0.0.1:9/", retries: 0 }));
    expect(failure.message).toMatch(/: no response: [^:]+\. The browser's console names the reason, /);
    expect(failure.cause).toBeInstanceOf(TypeError);
  });

  test("names a device that is offline", async () => {
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
    const failure = await failureOf(getPartition(1, "topics", 0, { fetch, retries: 0 }));
    expect(failure.message).toMatch(/\. The device is offline\.$/);
    expect(messageOf(failure)).toBe("You are offline.");
  });

  const coded = (error: Error, code: string) => Object.assign(error, { code });
  const wrapped = (cause: Error) => new Error("fetch failed", { cause });
  const lost = coded(new Error("getaddrinfo ENOTFOUND x"), "ENOTFOUND");

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

  const untrusted = coded(new Error("no certificate; try --use-system-ca"), "UNABLE_TO_VERIFY_LEAF_SIGNATURE");

  test.for<[string, Error, number, RegExp]>([
    ["of a custom fetch is retried, and says nothing about a page", lost, 2, /: no response: getaddrinfo ENOTFOUND x$/],
    ["of a certificate is not, and keeps the advice of the host", untrusted, 1, /no certificate; try --use-system-ca$/],
  ])("%s", async ([, error, attempts, message]) => {
    const { fetch, asked } = new Wire({ respond: () => Promise.reject(wrapped(error)) });
    const failure = await failureOf(getPartition(1, "topics", 4, { fetch, retries: 1 }));
    expect(failure).toMatchObject({ code: "network", attempts });
    expect(failure.message).toMatch(message);
    expect(asked).toHaveLength(attempts);
  });
});

describe("a response that denies access", () => {
  const noToken = (header: string) =>
    `The ${header} header has no token: check where its token comes from, such as an environment variable that is not set.`;

  test.for<[number, Record<string, string>, string]>([
    [401, { "x-key": "1" }, "The request had neither an authorization nor an authentication header."],
    [
      401,
      { Authorization: "eyJh" },
      'The value of the authorization header does not begin with "bearer ": a bearer token has this prefix, and an authentication token belongs in the header authentication.',
    ],
    [401, { Authorization: "" }, noToken("authorization")],
    [401, { Authorization: "Bearer " }, noToken("authorization")],
    [401, { authentication: "" }, noToken("authentication")],
    [
      401,
      { authentication: "bearer eyJh" },
      'The value of the authentication header begins with "bearer ": a bearer token belongs in the header authorization.',
    ],
    [401, { Authorization: "bearer eyJh" }, "Check the credentials."],
    [401, { authentication: "eyJh" }, "Check the credentials."],
    [403, {}, "The credentials may lack permission for this inspection."],
  ])("with %i to the headers %j says what they lack", async ([status, headers, advice]) => {
    const fetch = async () => new Response(null, { status });
    const { message } = await failureOf(getPartition(1, "topics", 0, { fetch, headers }));
    expect(message).toMatch(new RegExp(`: the service denied access with HTTP status ${status}\\. `));
    expect(message.endsWith(advice)).toBe(true);
    expect(message).not.toContain("eyJ");
  });

  test("with a page whose title has the value of a header leaves the title out", async () => {
    const fetch = async () => new Response("<!doctype html><title>No top-secret</title>", { status: 403 });
    const { message } = await failureOf(getPartition(1, "topics", 0, { fetch, headers: { "x-key": "top-secret" } }));
    expect(message).toMatch(/left out: it contains the value of a request header\)$/);
  });
});

const comment = "My doctor is Mr Example.";
const findings = [{ Comment: comment }];

describe("an error as JSON carries no findings:", () => {
  test.for([
    ["of one partition", (client) => client.getPartition(1, "topics", 1), ["findings"]],
    ["of a call for findings", (client) => client.getFindings(1, "topics"), ["findings", "failures", "resume"]],
    ["of a call for a table", (client) => client.loadTable(1, "topics"), ["table", "failures", "resume"]],
  ] as [string, (client: FindingsClient) => Promise<unknown>, string[]][])("that %s", async ([, call, names]) => {
    const reported = () => json({ Findings: findings, errors: ["No."] });
    serve({ respond: ({ index }) => [json({ Findings: findings }), reported()][index] });
    using client = new FindingsClient({ failurePolicy: "collect" });
    const failure = await failureOf(call(client));
    for (const name of names) {
      expect(Reflect.get(failure, name), name).toBeDefined();
      expect(Object.keys(failure)).not.toContain(name);
    }
    expect(JSON.stringify(failure)).toContain(failure.code);
    expect(JSON.stringify([failure, { ...failure }])).not.toContain(comment);
    expect(failure.table?.at(0) ?? failure.findings?.[0]).toEqual(findings[0]);
    failure.table?.free();
  });
});

describe("a failure as JSON", () => {
  const jsonOf = (failure: unknown) => JSON.parse(JSON.stringify(failure));

  test("has its name, its message, its other members, its cause and the cause of that", async () => {
    const cause = new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code: 7 }) });
    const failure = await failureOf(getPartition(1, "topics", 0, { fetch: () => Promise.reject(cause), retries: 0 }));
    const { message } = failure;
    const causes = { name: "TypeError", message: "fetch failed", cause: { name: "Error", message: "no", code: 7 } };
    expect(jsonOf(failure)).toEqual({ name: "FindingsError", message, ...about, code: "network", cause: causes });
  });

  test("has at most ten missing partitions, without findings", async () => {
    serve({ partitions: 13, respond: ({ kind }) => kind && json({ Findings: findings, errors: ["One."] }) });
    const failure = await failureOf(getFindings(1n, "topics", { failurePolicy: "collect" }));
    const { failures, ...others } = jsonOf(failure);
    expect(others).toMatchObject({ name: "FindingsError", code: "partial", inspectionKey: "1", messages: [] });
    expect(failures).toHaveLength(10);
    const error = { ...about, url: urlOf("Findings/1/Topics/9"), code: "service", inspectionKey: "1" };
    const [messages, partitionIndex] = [["One."], 9];
    const { message } = (failure.failures as any)[9].error;
    expect(failures[9]).toEqual({
      partitionIndex,
      error: { name: "FindingsError", message, ...error, partitionIndex, messages },
    });
  });

  test("is there whatever its members are", () => {
    const throwing = () => expect.fail("read");
    const round: any = new FindingsError("memory", "round");
    for (const value of [
      1n,
      [1n, {}],
      Symbol("odd"),
      { toJSON: throwing },
      Object.create(null, { name: { get: throwing } }),
    ]) {
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
    const Base = FindingsError as any;
    class Ours extends Base {}
    const ours: unknown = Reflect.construct(Ours, ["network", "message"]);
    expect([ours instanceof Ours, ours instanceof Base, new Base("network", "message") instanceof Ours]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

test("a FindingsError can be constructed by callers", () => {
  const members = { kind: "topics" as const, attempts: 2, cause: new Error("cause") };
  const error = new FindingsError("network", "message", { ...members, messages: undefined });
  expect(error).toMatchObject({ code: "network", message: "message", ...members, messages: [] });
});

describe("the message for an end user", () => {
  const messages: [string, FindingsErrorCode, FindingsErrorDetails, string][] = [
    ["without a response", "network", {}, "The service cannot be reached."],
    ["after a timeout", "timeout", {}, "The service took too long. Please try again."],
    ["for an unknown inspection or URL", "http", { status: 404 }, "The findings of this inspection cannot be found."],
    ["for another status", "http", { status: 503 }, "The service is not available now. Please try again later."],
    ["for an expired token", "unauthorized", { status: 401 }, "Your session has ended. Please sign in again."],
    ["without permission", "unauthorized", { status: 403 }, "Access to this inspection was denied."],
    ["for a redirect", "http", { status: 302 }, "Your session may have ended. Please sign in again."],
    ["for a redirect whose status is hidden", "http", {}, "Your session may have ended. Please sign in again."],
    ["for errors of the service", "service", { messages: ["No.", "Wait."] }, "No. Wait."],
    ["for errors without a text", "service", { messages: [] }, "The service reported an error."],
    ["for broken data", "decode", {}, "The service sent something unexpected."],
    ["for a huge body", "too-large", {}, "A part of this inspection is too large."],
    ["for a changed inspection", "incomplete", {}, "The inspection has changed meanwhile. Please load it again."],
    ["for missing partitions", "partial", {}, "Parts of this inspection could not be loaded."],
    ["for unknown bytes", "bytes", {}, "The saved findings cannot be opened."],
    ["for a missing file", "load", {}, "A part of this page could not be loaded. Please load the page again."],
    ["without memory", "memory", {}, "This inspection is too large for this device."],
    ["for a code of a newer copy", "later" as "load", {}, "Something went wrong on this page."],
  ];

  test.for(messages)("%s says what happened: %s", ([, code, details, message]) => {
    expect(messageOf(new FindingsError(code, "technical", details as never))).toBe(message);
  });

  const closed = AbortSignal.abort("closed");
  const [cancelled, tooLong, unknown] = [
    undefined,
    "The service took too long. Please try again.",
    messages.at(-1)?.[3],
  ];

  test.for<[string, unknown, AbortSignal | undefined, string | undefined]>([
    ["an abort without a reason", AbortSignal.abort().reason, undefined, cancelled],
    ["an abort with the caller's own reason", "closed", closed, cancelled],
    ["another reason than that of the signal", "other", closed, unknown],
    ["AbortSignal.timeout()", new DOMException("signal timed out", "TimeoutError"), undefined, tooLong],
    ...[new TypeError("mine"), undefined, null, "text", Symbol("s")].map(
      (value) => [String(value), value, undefined, unknown] as [string, unknown, undefined, string],
    ),
  ])("for %s says what an end user has to know", ([, reason, signal, message]) => {
    expect(messageOf(reason, signal)).toBe(message);
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
