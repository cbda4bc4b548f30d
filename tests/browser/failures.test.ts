/** Failures: each code with the members of its error, its message, and what an end user reads about it. */

import type { FindingsErrorCode, FindingsErrorDetails, Options } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { json, refusal } from "../fake-backend/index.js";
import { allFindings, findingsOf, upTo } from "./inspection.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { FindingsClient, FindingsError, getFindings, getPartition, getPartitionCounts, messageOf } from "./place.js";
import { noResponse, serve } from "./service.js";
import { withoutBackoff } from "./timers.js";
import { refused, responseOf, Wire } from "./wire.js";

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

test("a failure is an Error and a FindingsError, by class and by name", async () => {
  serve({ respond: notFound });
  const failure = await failureOf(getFindings(1, "topics"));
  expect(failure).toBeInstanceOf(Error);
  expect(failure.name).toBe("FindingsError");
  expect(String(failure)).toBe(`FindingsError: ${failure.message}`);
  expect(Object.keys(failure)).not.toContain("name");
});

describe("a failure names what was requested:", () => {
  test("the key as the caller gave it", async () => {
    serve({ respond: notFound });
    for (const key of [7, 7n, -7, 2n ** 63n - 1n]) {
      expect((await failureOf(getFindings(key, "topics"))).inspectionKey).toBe(key);
    }
  });

  test("the kind and the partition, even 0, where it has them", async () => {
    const failed = { code: "http", inspectionKey: 7, status: 404, attempts: 1, messages: [] };
    const kind = "sentiment";
    for (const failing of [-1, 0, 2]) {
      serve({ respond: ({ index }) => (index === failing ? notFound() : undefined) });
      const ofPartition = failing < 0 ? {} : { partitionIndex: failing };
      const url = urlOf(failing < 0 ? "Findings/7" : `Findings/7/Sentiment/${failing}`);
      const failure = await failureOf(getFindings(7, kind, { concurrency: 1 }));
      expect(known(failure)).toEqual({ ...failed, kind, url, ...ofPartition });
    }
    serve({ respond: notFound });
    expect(known(await failureOf(getPartitionCounts(7)))).toEqual({ ...failed, url: urlOf("Findings/7") });
  });
});

describe("the URL of a request", () => {
  const fetch = async () => refusal(410, "Gone.");

  test("is in the error and in its message", async () => {
    const failure = await failureOf(getPartition(42, "topics", 3, { baseUrl: "https://service.test/cxi/", fetch }));
    const url = "https://service.test/cxi/Findings/42/Topics/3";
    expect(failure.url).toBe(url);
    expect(failure.message).toBe(
      `topics partition 3 of inspection 42 (${url}): the service responded with HTTP status 410: "Gone."`,
    );
  });

  test("that is long is whole in the error, and shortened in its message", async () => {
    const baseUrl = `https://service.test/${"x".repeat(1000)}/`;
    const failure = await failureOf(getPartitionCounts(42, { baseUrl, fetch }));
    expect(failure.url).toBe(`${baseUrl}Findings/42`);
    expect(failure.message).toContain(`(${baseUrl.slice(0, 100)}…): the service`);
  });

  test("is doubted after a 404, and after text that the service calls a page", async () => {
    const headers = { "content-type": "Text/HTML; charset=utf-8" };
    for (const respond of [notFound, () => new Response("Not found", { headers })]) {
      serve({ respond });
      const { message } = await failureOf(getFindings(1, "topics"));
      expect(message.split("Check baseUrl and the inspection key.")).toHaveLength(2);
    }
  });
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

  test("incomplete has what was expected, what was received, and the findings", async () => {
    for (const expected of [5, 7]) {
      serve({ counts: { TopicPartitions: 3, TopicFindings: expected } });
      const failure = await failureOf(getFindings(1, "topics"));
      const figures = { expected, received: 6, findings: allFindings(3) };
      const subject = { kind: "topics", inspectionKey: 1, messages: [] };
      expect(known(failure)).toEqual({ code: "incomplete", ...subject, ...figures });
      const message = `expected ${expected} findings, received 6; the inspection was probably re-analysed`;
      expect(failure.message).toContain(message);
    }
  });

  test("incomplete has a table for a call for a table, which outlives the client", async () => {
    serve({ counts: { TopicPartitions: 3, TopicFindings: 7 } });
    const client = new FindingsClient();
    const failure = await failureOf(client.loadTable(7, "topics"));
    client.free();
    expect(failure).toMatchObject({ code: "incomplete", expected: 7, received: 6 });
    expect(failure.findings).toBeUndefined();
    expect(failure.table?.toArray()).toEqual(allFindings(3));
    failure.table?.free();
  });
});

test("errors in a response of status 200 are a service failure, without findings if Findings is missing or wrong", async () => {
  for (const more of [{}, { Findings: null }, { Findings: "none" }, { Findings: [1] }]) {
    serve({ respond: () => json({ ...more, errors: ["One."] }) });
    expect(known(await failureOf(getPartition(1, "topics", 0)))).toEqual({
      ...about,
      code: "service",
      messages: ["One."],
    });
  }
});

test("the body of an unsuccessful response is read up to 16 KiB for messages", async () => {
  const pull = vi.fn((controller) => controller.enqueue(new Uint8Array(4096).fill(32)));
  const cancel = vi.fn();
  const fetch = async () => new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }), { status: 404 });
  const failure = await failureOf(getPartition(1, "topics", 0, { fetch }));
  expect(failure).toMatchObject({ code: "http", status: 404, messages: [] });
  expect(pull).toHaveBeenCalledTimes(4);
  expect(cancel).toHaveBeenCalledTimes(1);
});

describe("a network error", () => {
  beforeEach(withoutBackoff);

  test("says what a page cannot know about a request without a response", async () => {
    const cause = new TypeError("Failed to fetch");
    const { fetch } = new Wire({ respond: () => Promise.reject(cause) });
    const failure = await failureOf(getPartition(1, "topics", 4, { fetch, retries: 1 }));
    expect(failure).toMatchObject({ code: "network", partitionIndex: 4, attempts: 2, cause });
    expect(failure.message).toBe(
      `topics partition 4 of inspection 1 (${new URL("Findings/1/Topics/4", document.baseURI).href}, 2 attempts): ` +
        "no response: Failed to fetch. The browser's console names the reason, which pages cannot read: the service cannot " +
        "be reached, the connection broke, the service does not allow the page's origin (CORS), or connect-src of the page's " +
        "content security policy does not allow the URL.",
    );
  });

  test("of a real request without a response says the same", async () => {
    const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: "http://127.0.0.1:9/", retries: 0 }));
    expect(failure.code).toBe("network");
    expect(failure.message).toMatch(/: no response: [^:]+\. The browser's console names the reason, /);
    expect(failure.cause).toBeInstanceOf(TypeError);
  });

  test("names a device that is offline, and no device that is online", async () => {
    const cause = new TypeError("Failed to fetch");
    const call = () => failureOf(getPartition(1, "topics", 0, { fetch: () => Promise.reject(cause), retries: 0 }));
    const online = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    const failure = await call();
    expect(failure).toMatchObject({ code: "network", cause });
    expect(failure.message).toMatch(/\. The device is offline\.$/);
    online.mockReturnValue(true);
    expect((await call()).message).not.toContain("offline");
  });

  const endless = new Error("endless");
  endless.cause = endless;
  const coded = (error: Error, code: string) => Object.assign(error, { code });
  const wrapped = (cause: Error) => new Error("fetch failed", { cause });
  const unreadable = Object.defineProperty(new Error("throws"), "code", { get: () => expect.fail("read") });
  const lost = coded(new Error("getaddrinfo ENOTFOUND x"), "ENOTFOUND");
  const refusal = coded(new AggregateError([]), "ECONNREFUSED");
  const closed = coded(new Error("other side closed"), "UND_ERR_SOCKET");

  test.for([
    ["an error whose message has its code", lost, ": getaddrinfo ENOTFOUND x"],
    ["an error with a code only", refusal, ": ECONNREFUSED"],
    ["an error with a code beside its message", closed, ": UND_ERR_SOCKET: other side closed"],
    ["a cause whose message has its code", wrapped(lost), ": getaddrinfo ENOTFOUND x"],
    ["a cause with a code only", wrapped(refusal), ": ECONNREFUSED"],
    ["a cause with a code beside its message", wrapped(closed), ": UND_ERR_SOCKET: other side closed"],
    ["a cause with a message only, as in Deno", wrapped(new Error("dns error")), ": dns error"],
    ["several causes", wrapped(wrapped(new Error("", { cause: new Error("bad port") }))), ": bad port"],
    ["its own cause", endless, ": endless"],
    ["a code that throws", unreadable, ": throws"],
    ["a DOMException", new DOMException("no", "NetworkError"), ": no"],
    ["text", "as text", ": as text"],
    ...[undefined, null, 7, {}, new Error()].map((cause) => [`${cause}, which says nothing`, cause, ""]),
  ] as [string, unknown, string][])(
    "of a fetch that rejects with %s has its message and code, and nothing about a page",
    async ([, cause, text]) => {
      const { fetch } = new Wire({ respond: () => Promise.reject(cause) });
      const failure = await failureOf(getPartition(1, "topics", 4, { fetch, retries: 0 }));
      expect(failure.message).toMatch(new RegExp(`: no response${text}$`));
    },
  );

  test("of a certificate is not retried, and keeps the advice of the host", async () => {
    const advice =
      "unable to verify the first certificate; if the root CA is installed locally, try running Node.js with --use-system-ca";
    for (const cause of [
      wrapped(coded(new Error(advice), "UNABLE_TO_VERIFY_LEAF_SIGNATURE")),
      wrapped(coded(new Error(advice), "ERR_TLS_CERT_ALTNAME_INVALID")),
      wrapped(new Error(`invalid peer certificate: UnknownIssuer; ${advice}`)),
    ]) {
      const { fetch, asked } = new Wire({ respond: () => Promise.reject(cause) });
      const failure = await failureOf(getPartition(1, "topics", 4, { fetch }));
      expect(failure).toMatchObject({ code: "network", attempts: 1 });
      expect(failure.message).toMatch(new RegExp(`${advice}$`));
      expect(asked).toHaveLength(1);
    }
  });

  test("quotes no header, however deep the cause that has it", async () => {
    const headers = { authorization: "bearer top-secret" };
    for (const depth of upTo(6)) {
      let cause: Error = new Error("refused top-secret");
      for (const _ of upTo(depth)) cause = wrapped(cause);
      const failure = await failureOf(
        getPartition(1, "topics", 4, { headers, fetch: () => Promise.reject(cause), retries: 0 }),
      );
      expect(failure.message).not.toContain("top-secret");
      expect(JSON.stringify(failure)).not.toContain("top-secret");
    }
  });

  test("says that the connection broke if the response had begun", async () => {
    const cause = new TypeError("network error");
    const { fetch } = new Wire({ respond: () => ({ ...responseOf(""), arrayBuffer: () => Promise.reject(cause) }) });
    const failure = await failureOf(getPartition(1, "topics", 0, { fetch, retries: 0 }));
    expect(failure).toMatchObject({ code: "network", cause });
    expect(failure.message).toContain("the connection broke while the response was being read: network error");
  });
});

test("a Retry-After that cannot be read is explained once for another origin, and not for the page's own", async () => {
  withoutBackoff();
  const messageAfter = async (type: string) => {
    const { fetch } = new Wire({ respond: () => refused(429, { type }) });
    return (await failureOf(getPartition(1, "topics", 0, { fetch }))).message;
  };
  const explanation = /No Retry-After can be read.*Access-Control-Expose-Headers/g;
  const message = await messageAfter("cors");
  expect(message.match(explanation)).toHaveLength(1);
  expect(message).toContain(", 4 attempts)");
  for (const type of ["basic", "default"]) expect(await messageAfter(type)).not.toMatch(explanation);
});

describe("a response that denies access", () => {
  const messageOfStatus = async (status: number, headers: Record<string, string> = {}, body = "") => {
    const fetch = async () => new Response(body, { status, headers: { "content-type": "text/html" } });
    return (await failureOf(getPartition(1, "topics", 0, { fetch, headers }))).message;
  };

  test.for<[Record<string, string>, string]>([
    [{}, "The request had neither an authorization nor an authentication header."],
    [{ "x-key": "1" }, "The request had neither an authorization nor an authentication header."],
    [
      { Authorization: "eyJhbGciOi" },
      'The authorization header lacks the prefix "bearer ", which is part of the token.',
    ],
    [{ Authorization: "bearer eyJhbGciOi" }, "Check the credentials."],
    [{ authentication: "eyJhbGciOi" }, "Check the credentials."],
  ])("with 401 to the headers %j says what they lack", async ([headers, advice]) => {
    const fetch = async () => new Response(null, { status: 401 });
    const { message } = await failureOf(getPartition(1, "topics", 0, { fetch, headers }));
    expect(message).toMatch(/: the service denied access with HTTP status 401\. /);
    expect(message.endsWith(advice)).toBe(true);
    expect(message).not.toContain("eyJ");
  });

  test("with 403 speaks of permission, unless the body is a page", async () => {
    const fetch = async () => new Response(null, { status: 403 });
    const { message } = await failureOf(getPartition(1, "topics", 0, { fetch }));
    expect(message).toMatch(/HTTP status 403\. The credentials may lack permission for this inspection\.$/);
    const page = await messageOfStatus(403, {}, "<!doctype html><title>Blocked</title>");
    expect(page).toMatch(
      /HTTP status 403: the body is an HTML page with the title "Blocked", perhaps of a firewall or proxy$/,
    );
  });

  test("with the value of a header in the title of its page does not quote it", async () => {
    const page = await messageOfStatus(403, { "x-key": "top-secret" }, "<title>No top-secret</title>");
    expect(page).toMatch(/HTTP status 403: \(left out: it contains the value of a request header\)$/);
  });
});

test("the texts of problem details are messages, and no dictionary of errors is JSON", async () => {
  const texts = async (body: object, status: number) => {
    const failure = await failureOf(getPartition(1, "topics", 0, { fetch: async () => json(body, { status }) }));
    return failure.messages;
  };
  const problem = { type: "about:blank", title: "Invalid.", detail: "See below.", errors: { Key: ["Too long."] } };
  expect(await texts(problem, 400)).toEqual(["Invalid.", "See below.", "Too long."]);
  expect(await texts({ Message: "No route." }, 404)).toEqual(["No route."]);
  expect(await texts({ message: "Slow down." }, 409)).toEqual(["Slow down."]);
  expect(await texts({ error_description: "It has expired." }, 401)).toEqual(["It has expired."]);
  expect(await texts({ errors: { Key: ["Too long."], Other: "Wrong." } }, 200)).toEqual(["Too long.", "Wrong."]);
});

const comment = "My doctor is Mr Example.";
const findings = [{ Comment: comment }];

describe("an error as JSON carries no findings:", () => {
  const reported = () => json({ Findings: findings, errors: ["No."] });

  /** Checks that the members are there, and that neither JSON nor a loop over the members finds them. */
  function expectHidden(failure: FindingsError, names: string[]) {
    for (const name of names) {
      expect(Reflect.get(failure, name), name).toBeDefined();
      expect(Object.keys(failure)).not.toContain(name);
    }
    expect(JSON.stringify(failure)).toContain(failure.code);
    expect(JSON.stringify({ ...failure })).not.toContain(comment);
    expect(JSON.stringify(failure)).not.toContain(comment);
  }

  test.for([
    ["of one partition", (client) => client.getPartition(1, "topics", 1), ["findings"]],
    ["of a call for findings", (client) => client.getFindings(1, "topics"), ["findings", "failures", "resume"]],
    ["of a call for a table", (client) => client.loadTable(1, "topics"), ["table", "failures", "resume"]],
  ] as [string, (client: FindingsClient) => Promise<unknown>, string[]][])("that %s", async ([, call, names]) => {
    serve({ respond: ({ index }) => [json({ Findings: findings }), reported()][index] });
    using client = new FindingsClient({ failurePolicy: "collect" });
    const failure = await failureOf(call(client));
    expectHidden(failure, names);
    expect(failure.table?.at(0) ?? failure.findings?.[0]).toEqual(findings[0]);
    failure.table?.free();
  });

  test("one that a caller constructs", () => {
    expectHidden(
      new FindingsError("partial", "message", { findings: findings as any, failures: [], resume: vi.fn() }),
      ["findings", "failures"],
    );
  });
});

describe("a failure as JSON", () => {
  const jsonOf = (failure: unknown) => JSON.parse(JSON.stringify(failure));

  test("has its name, its message and its other members", async () => {
    serve({ respond: () => json({ errors: ["One."] }, { status: 503, headers: { "retry-after": "120" } }) });
    const failure = await failureOf(getPartition(1, "topics", 0));
    const { message } = failure;
    const members = { code: "http", status: 503, retryAfter: 120_000, messages: ["One."] };
    expect(jsonOf(failure)).toEqual({ name: "FindingsError", message, ...about, ...members });
  });

  test("has the cause and the cause of that", async () => {
    const cause = new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code: 7 }) });
    const failure = await failureOf(getPartition(1, "topics", 0, { fetch: () => Promise.reject(cause), retries: 0 }));
    expect(jsonOf(failure).cause).toMatchObject({ message: "fetch failed", cause: { message: "no", code: 7 } });
  });

  test("has at most ten missing partitions, without findings", async () => {
    serve({
      partitions: 13,
      respond: ({ kind, index }) =>
        kind && json(index === 12 ? { Findings: findings } : { Findings: findings, errors: ["One."] }),
    });
    const failure = await failureOf(getFindings(1n, "topics", { failurePolicy: "collect" }));
    const { failures, ...others } = jsonOf(failure);
    expect(others).toMatchObject({ name: "FindingsError", code: "partial", inspectionKey: "1", messages: [] });
    expect([failures.length, failure.url]).toEqual([10, undefined]);
    const { message } = (failure.failures as any)[9].error;
    const url = urlOf("Findings/1/Topics/9");
    const error = { ...about, url, code: "service", inspectionKey: "1", partitionIndex: 9, messages: ["One."] };
    expect(failures[9]).toEqual({ partitionIndex: 9, error: { name: "FindingsError", message, ...error } });
    expect(JSON.stringify(failure)).not.toContain(comment);
  });

  test("is there whatever its members are", () => {
    const throwing = () => expect.fail("read");
    const revoked = Proxy.revocable([], {});
    revoked.revoke();
    const odd = [
      ...[1n, Symbol("odd"), () => {}, Number.NaN, revoked.proxy, [1n, {}, [1n]], { toJSON: throwing }, null],
      Object.create(null, { name: { get: throwing }, message: { get: throwing }, cause: { get: throwing } }),
    ];
    for (const value of odd) {
      const names = ["message", "inspectionKey", "url", "messages", "failures", "findings", "table", "cause"];
      for (const name of [...names, "anything"]) {
        const error = Object.assign(new FindingsError("network", "message", { attempts: 1 }), { [name]: value });
        expect(jsonOf(error)).toMatchObject({ name: "FindingsError", code: "network" });
        const failures = [value, { partitionIndex: value, error: value }, { error }];
        jsonOf(new FindingsError("partial", "message", { failures: failures as any, resume: vi.fn() }));
      }
    }
    const round = new FindingsError("memory", "round");
    Object.assign(round, { cause: round });
    expect(jsonOf(round).cause).toMatchObject({ message: "round", cause: { message: "round" } });
  });
});

describe("instanceof FindingsError", () => {
  test("holds for errors of other entries and copies of the package", async () => {
    const files = ["slim.js", "slim.js?copy", "inline.js"];
    const others = await Promise.all(
      files.map((file) => import(/* @vite-ignore */ `${location.origin}/package/${file}`)),
    );
    const classes = [FindingsError, ...others.map((entry) => entry.FindingsError)];
    expect(new Set(classes).size).toBe(4);
    for (const one of classes) {
      for (const other of classes) expect(new one("network", "message") instanceof other).toBe(true);
    }
    const failure = await failureOf(others[2].getPartition(1, "topics", 0, { fetch: async () => refusal(404, "No.") }));
    expect(failure).toBeInstanceOf(FindingsError);
  });

  test("holds for nothing else", () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    for (const value of [undefined, null, 1, "FindingsError", {}, new Error("no"), FindingsError, revoked.proxy]) {
      expect((value as any) instanceof FindingsError).toBe(false);
    }
  });

  test("of a class that extends it holds for its own instances", () => {
    const Base = FindingsError as unknown as new (code: string, message: string) => Error;
    class Ours extends Base {}
    const ours = new Ours("network", "message");
    expect(ours instanceof Ours && ours instanceof FindingsError).toBe(true);
    expect(new FindingsError("network", "message", { attempts: 1 }) instanceof Ours).toBe(false);
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
  ];

  test.for(messages)("%s says what happened: %s", ([, code, details, message]) => {
    expect(messageOf(new FindingsError(code, "technical", details as never))).toBe(message);
  });

  test("says that the browser is offline", () => {
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    expect(messageOf(new FindingsError("network", "technical", { attempts: 1 }))).toBe("You are offline.");
  });

  test("contains neither URL, code nor number of a real failure", async () => {
    serve({ respond: () => new Response(null, { status: 410 }) });
    const message = messageOf(await rejectionOf(getPartition(1, "topics", 0)));
    expect(message).toBe("The service is not available now. Please try again later.");
  });

  test("is undefined for a call that was cancelled, also with the caller's own reason", async () => {
    serve();
    const controller = new AbortController();
    const { signal } = controller;
    const plain = getFindings(1, "topics", { signal });
    controller.abort();
    expect(messageOf(await rejectionOf(plain))).toBeUndefined();
    const reasoned = AbortSignal.abort("closed");
    const reason = await rejectionOf(getFindings(1, "topics", { signal: reasoned }));
    expect(messageOf(reason, reasoned)).toBeUndefined();
    expect(messageOf(reason, signal)).toBe("Something went wrong on this page.");
  });

  test("says that it took too long for AbortSignal.timeout()", async () => {
    serve({ respond: () => new Promise(() => {}) });
    const signal = AbortSignal.timeout(1);
    const reason = await rejectionOf(getFindings(1, "topics", { signal }));
    expect(messageOf(reason, signal)).toBe("The service took too long. Please try again.");
  });

  test("exists for a code of a newer copy of the package", () => {
    const newer = new FindingsError("later" as "load", "technical");
    expect(messageOf(newer)).toBe("Something went wrong on this page.");
  });

  test("exists for every other value, and never throws", async () => {
    const wrongArgument = await rejectionOf(getFindings(1, "wrong" as any));
    const hostile = {
      get name() {
        throw new Error("no");
      },
    };
    for (const value of [wrongArgument, undefined, null, "text", Symbol("s"), hostile]) {
      expect(messageOf(value)).toBe("Something went wrong on this page.");
    }
  });
});
