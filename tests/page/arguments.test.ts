/** Wrong arguments and options: each is refused before any request, by an error that names it. */

import { FindingsClient, getFindings, getPartitionCounts } from "inspection-findings";
import { init } from "inspection-findings/manual";
import { expect, test } from "vitest";
import { calls, callsOfClient } from "./calls.js";
import { rejectionOf } from "./outcome.js";
import { describeValue } from "./same.js";
import { asked, serve } from "./service.js";

/** Expects a call with each of these values to be refused, before any request. */
async function expectRefused(
  call: (value: any) => Promise<unknown>,
  values: readonly unknown[],
  wrong: TypeErrorConstructor | RangeErrorConstructor,
  message: RegExp,
) {
  for (const value of values) {
    const error = await rejectionOf(call(value));
    expect([error.constructor, error.message], describeValue(value)).toEqual([wrong, expect.stringMatching(message)]);
  }
  expect(asked).toEqual([]);
}

const digits = ["", " 42", "42 ", "042", "+42", "-0", "4_2", "4.0", "4e1", "0x2a", "NaN", "42n", "４２", "text"];
const beyond64Bits = [2n ** 63n, -(2n ** 63n) - 1n];
const notWhole = [1.5, Number.NaN, Number.POSITIVE_INFINITY];

/** What is wrong for an argument or an option: values of wrong types, and values out of the range. */
interface Wrong {
  types: unknown[];
  ranges?: unknown[];
  /** The names of the calls that have it: by default those for all findings. */
  calls?: RegExp;
  /** The parameters of a call with the value. */
  place?(value: unknown): [key: unknown, kind: unknown, index: unknown];
}

const wrongArguments: Record<string, Wrong> = {
  inspectionKey: {
    calls: /./,
    place: (value) => [value, "topics", 0],
    types: [undefined, null, true, {}, [42], Object(42), Symbol("42"), () => 42, ...digits],
    ranges: [...notWhole, 2 ** 53, -(2 ** 53), ...beyond64Bits, ...beyond64Bits.map(String), "1".repeat(1_000_000)],
  },
  kind: {
    calls: /^(?!.*Counts)/,
    place: (value) => [1, value, 0],
    types: ["Sentiment", "topic", "", undefined, null, 1, {}, Symbol("topics")],
  },
  partitionIndex: {
    calls: /Partition$/,
    place: (value) => [1, "topics", value],
    types: [undefined, null, "0", 0n, {}, true],
    ranges: [...notWhole, -1, 2 ** 53],
  },
};

const milliseconds = { types: ["1000", 1000n], ranges: [...notWhole, 0, -1, 2 ** 31] };

const wrongOptions: Record<string, Wrong> = {
  baseUrl: {
    types: [
      ...[5, {}, "http://", "ftp://service.test/", "file:///cxi/", "javascript:alert(1)", "data:,"],
      ...["?a=1", "#a"].map((end) => `https://service.test/${end}`),
      ...["https://ann@service.test/", "https://ann:secret@service.test/", new URL("https://service.test/cxi/?a=1")],
    ],
  },
  headers: {
    types: [
      ...[5, "accept: text/plain", true, [["one"]], { "not a name": "x" }, [["name", undefined]]],
      ...["line\nbreak", undefined, null, "\u{1F600}"].map((value) => ({ name: value })),
    ],
  },
  credentials: { types: [null, true, "", "all", 1] },
  cache: { types: [null, true, "", "never", 1] },
  fetch: { types: [{}, "fetch", 1] },
  worker: { types: [null, "worker", 1] },
  signal: { types: [{}, true, "signal", 1, new AbortController(), () => {}] },
  concurrency: { types: [null, "6", 6n, {}, true], ranges: [...notWhole, 0, -1, 1001] },
  timeout: milliseconds,
  totalTimeout: milliseconds,
  maxPartitionBytes: milliseconds,
  retries: { calls: /./, types: [null, "3", 3n, true], ranges: [...notWhole, -1, 1001] },
  maxRetryAfter: { types: [null, "3", 3n], ranges: [...notWhole, -1, 2 ** 31] },
  columns: { types: [{}, "Comment", 1, [1], [null], [undefined], [["Comment"]], new Array(1), new Set()] },
  completeness: { types: [null, true, "", "loose", "Strict", 1] },
  readCounts: { types: [{}, "counts", 1] },
  onProgress: { types: [{}, "progress", 1] },
};

test.for(Object.entries({ ...wrongArguments, ...wrongOptions }))(
  "%s of a wrong type is a TypeError, and out of its range a RangeError, each of which names it, in every call",
  async ([name, { calls: names = /getFindings/, place, types, ranges = [] }]) => {
    const client = new FindingsClient();
    for (const [, call] of Object.entries(calls).filter(([each]) => names.test(each))) {
      const callWith = (value: any) => {
        return place ? call(client, ...place(value)) : call(client, 1, "topics", 0, { [name]: value });
      };
      await expectRefused(callWith, types, TypeError, new RegExp(`^${name}\\b`));
      await expectRefused(callWith, ranges, RangeError, new RegExp(`^${name}\\b`));
    }
    client.free();
  },
);

test.for(Object.entries(callsOfClient))("%s of a freed client is a TypeError", async ([, call]) => {
  const client = new FindingsClient();
  client.free();
  await expectRefused((key) => call(client, key, "topics", 0), [1], TypeError, /freed/);
});

test("a key may be any safe integer, or a bigint of at most 64 bits, or its decimal digits", async () => {
  serve({ partitions: 0 });
  for (const key of [0, -0, -7, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2n ** 63n - 1n, -(2n ** 63n), 7n]) {
    for (const written of [key, `${key}`]) {
      await getPartitionCounts(written);
      expect(asked.at(-1)?.path).toBe(`Findings/${BigInt(key)}`);
    }
  }
});

const keyAdvice = "inspectionKey must be a safe integer (pass larger keys as a bigint or a string); got";
const tooLongUrl = `https://service.test/${"é".repeat(1400)}`;
const forms = "an object, a list of pairs";
const ofCounts =
  "baseUrl, headers, credentials, cache, fetch, worker, signal, timeout, totalTimeout, retries, maxRetryAfter, maxPartitionBytes, readCounts";

const messages: [options: any, message: string, call?: string][] = [
  [{ headers: "x" }, `headers must be ${forms}, a Headers, or a function that returns one of these; got a string`],
  [{ headers: () => 5 }, "the result of headers must be an object, a list of pairs or a Headers; got a number"],
  [{ headers: { Authorization: undefined } }, 'headers must have a string for "Authorization"; got undefined'],
  [{ headers: [["a", "b"], ["c"]] }, "headers must consist of pairs of a name and a value; entry 2 is not one"],
  [{ baseUrl: "https://service.test/?a=1" }, "baseUrl must not have a query string"],
  [{ baseUrl: "https://service.test/#a" }, "baseUrl must not have a fragment"],
  [{ baseUrl: "https://ann@service.test/" }, "baseUrl must not have credentials: pass them as headers"],
  [{ baseUrl: "ftp://service.test/" }, 'baseUrl must be an http or https URL; got "ftp://service.test/"'],
  [{ baseUrl: tooLongUrl }, `baseUrl must have at most 8192 characters; got "${tooLongUrl.slice(0, 100)}…"`],
  [{ baseUrl: "http://" }, 'baseUrl must be a valid URL; got "http://"'],
  [{ baseUrl: Promise.resolve("") }, "baseUrl must be a string or a URL; got a promise: await it"],
  [{ completeness: "Strict" }, 'completeness must be "strict" or "off"; got "Strict"'],
  [{ columns: "Topic.Text" }, 'columns must be a list of names of columns; got "Topic.Text"'],
  [{ columns: new Set() }, "columns must be a list of names of columns; got a Set"],
  [{ columns: ["Topic.Text", null] }, "columns[1] must be the name of a column; got null"],
  [{ columns: ["a.\ud83d"] }, 'columns[0] must be the name of a column; got "a.\\ud83d"'],
  [{ columns: Array(2_001).fill("a.b") }, "columns must have at most 4000 keys"],
  [{ columns: ["a".repeat(1_000_001)] }, "columns is too long: its names have 1000001 bytes, but at most 1000000 fit"],
  [{ concurrency: 0 }, "concurrency must be an integer from 1 to 1000; got 0"],
  [{ retries: "3" }, 'retries must be a number; got "3"'],
  [{ retries: 3n }, "retries must be a number; got 3n"],
  [{ signal: {} }, "signal must be an AbortSignal; got an object"],
  [{ signal: new AbortController() }, "signal must be an AbortSignal; got an AbortController: pass its signal"],
  [{ retry: 1 }, `unknown option "retry" (did you mean retries?); the options are ${ofCounts}`, "getPartitionCounts"],
  [{ maxRetries: 1 }, `unknown option "maxRetries"; the options are ${ofCounts}`, "getPartitionCounts"],
  [{ retry: 1 }, expect.stringMatching(/columns, from$/), "loadTable"],
  ...["baseURL", "constructor", "__proto__x", ""].map((name) => {
    const message = expect.stringMatching(
      `^unknown option "${name}".*; the options are baseUrl, .*, onPartition, columns$`,
    );
    return [{ [name]: undefined }, message] as [any, string];
  }),
  ["https://service.test/", "options must be an object; got a string: pass { baseUrl }"],
  [new URL("https://service.test/"), "options must be an object; got a URL: pass { baseUrl }"],
  [new AbortController().signal, "options must be an object; got an AbortSignal: pass { signal }"],
  [new Headers(), "options must be an object; got a Headers: pass { headers }"],
  [new Map(), "options must be an object; got a Map: convert it by Object.fromEntries()"],
];

// P31
test("a message says what an argument must be, and what was given", async () => {
  using client = new FindingsClient();
  const messageOf = async (refused: any) => (await rejectionOf(refused)).message;
  for (const [options, message, call = "getFindings"] of messages) {
    expect(await messageOf(callsOfClient[call]?.(client, 1, "topics", 0, options))).toEqual(message);
  }
  expect(await messageOf(getPartitionCounts(2 ** 53))).toBe(`${keyAdvice} 9007199254740992`);
  const [kind, file]: any[] = ["topic", "/module.wasm"];
  expect(await messageOf(getFindings(1, kind))).toBe('kind must be "sentiment" or "topics"; got "topic"');
  expect(await messageOf(init(file))).toBe("options must be an object; got a string: pass { module }");
  expect(asked).toEqual([]);
});

test("each call of a client with wrong options rejects with its own error", async () => {
  using client = new FindingsClient({ columns: ["a"], retries: -1, logger: undefined } as any);
  const errors = [client.getFindings(1, "topics"), client.getPartitionCounts(1), client.preload()].map(rejectionOf);
  const message = expect.stringMatching(/^unknown option "logger"; the options are baseUrl, .*, onPartition$/);
  for (const error of await Promise.all(errors)) expect(error).toMatchObject({ constructor: TypeError, message });
  expect(new Set(await Promise.all(errors)).size).toBe(3);
});

test("wrong options of resume() reject it, and the options of the call stay in force", async () => {
  let isBroken = true;
  serve({ respond: ({ index }) => (isBroken && index === 1 ? new Response(null, { status: 410 }) : undefined) });
  const failure = await rejectionOf(getFindings(1, "topics", { failurePolicy: "collect", concurrency: 2 }));
  isBroken = false;
  asked.length = 0;
  await expectRefused(failure.resume, [{ retrys: 10 }, { retrys: undefined }], TypeError, /retrys/);
  await expectRefused(failure.resume, [{ retries: -1 }], RangeError, /retries/);
  expect(await failure.resume({ retries: 1, order: undefined })).toHaveLength(6);
});
