/** Wrong arguments: each is refused before any request, by an error that names it. */

import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { expect, test } from "vitest";
import { rejectionOf } from "./outcome.js";
import { describeValue } from "./same.js";
import { asked, serve } from "./service.js";

/** @typedef {TypeErrorConstructor | RangeErrorConstructor} Wrong */

/**
 * Every call but `watchTable` and `resume`.
 * @type {Record<string, (client: any, key: any, kind: any, index: any, options?: any) => Promise<unknown>>}
 */
const calls = {
  "the function getPartitionCounts": (_, key, _kind, _index, options) => getPartitionCounts(key, options),
  "the function getPartition": (_, key, kind, index, options) => getPartition(key, kind, index, options),
  "the function getFindings": (_, key, kind, _index, options) => getFindings(key, kind, options),
  getPartitionCounts: (client, key, _kind, _index, options) => client.getPartitionCounts(key, options),
  getPartition: (client, key, kind, index, options) => client.getPartition(key, kind, index, options),
  loadPartition: (client, key, kind, index, options) => client.loadPartition(key, kind, index, options),
  getFindings: (client, key, kind, _index, options) => client.getFindings(key, kind, options),
  loadTable: (client, key, kind, _index, options) => client.loadTable(key, kind, options),
  streamPartitions: (client, key, kind, _index, options) => client.streamPartitions(key, kind, options).next(),
  streamTables: (client, key, kind, _index, options) => client.streamTables(key, kind, options).next(),
};

/** @type {[RegExp, any[], Wrong, RegExp][]} the calls with an argument, which is wrong among these */
const wrongArguments = [
  [/./, [1.5, "topics", 0], RangeError, /^inspectionKey must be a safe integer/],
  [/^(?!.*Counts)/, [1, "topic", 0], TypeError, /^kind must be "sentiment" or "topics"; got "topic"$/],
  [/(get|load)Partition$/, [1, "topics", -1], RangeError, /^partitionIndex must be an integer from 0 to .*; got -1$/],
  [/./, [1, "topics", 0, null], TypeError, /^options must be an object; got null$/],
  [/./, [1, "topics", 0, { retry: 3 }], TypeError, /^unknown option "retry"/],
  [/./, [1, "topics", 0, { retries: -1 }], RangeError, /^retries must be an integer from 0 to 1000; got -1$/],
];

test.for(Object.entries(calls))(
  "%s rejects for each wrong argument, and once its client is freed",
  async ([name, call]) => {
    const client = new FindingsClient();
    for (const [, given, wrong, message] of wrongArguments.filter(([names]) => names.test(name))) {
      const callWith = (/** @type {any[]} */ [key, kind, index, options]) => call(client, key, kind, index, options);
      await expectRefused(callWith, [given], wrong, message);
    }
    client.free();
    const isOfClient = !name.startsWith("the function");
    if (isOfClient) await expectRefused((key) => call(client, key, "topics", 0), [1], TypeError, /freed/);
  },
);

/**
 * Expects a call with each of these values to be refused, before any request.
 * @param {(value: any) => Promise<unknown>} call
 * @param {readonly unknown[]} values
 * @param {Wrong} wrong
 * @param {RegExp} message
 */
async function expectRefused(call, values, wrong, message) {
  for (const value of values) {
    const error = await rejectionOf(call(value));
    expect([error.constructor, error.message], describeValue(value)).toEqual([wrong, expect.stringMatching(message)]);
  }
  expect(asked).toEqual([]);
}

const digits = ["", " 42", "42 ", "042", "+42", "-0", "4_2", "4.0", "4e1", "0x2a", "NaN", "42n", "４２", "text"];
const beyond64Bits = [2n ** 63n, -(2n ** 63n) - 1n];
const notWhole = [1.5, Number.NaN, Number.POSITIVE_INFINITY];

test("an inspection key of another type, or with other than decimal digits, is a TypeError", async () => {
  const keys = [undefined, null, true, {}, [42], Object(42), Symbol("42"), () => 42, ...digits];
  await expectRefused(getPartitionCounts, keys, TypeError, /^inspectionKey must be /);
});

test("an inspection key that is no safe integer, or beyond 64 bits, is a RangeError that says how to pass it", async () => {
  const tooLong = [...beyond64Bits, ...beyond64Bits.map(String), "1".repeat(1_000_000)];
  const keys = [...notWhole, 2 ** 53, -(2 ** 53), ...tooLong];
  await expectRefused(getPartitionCounts, keys, RangeError, /^inspectionKey must be /);
  const advice = /^inspectionKey must be a safe integer \(pass larger keys as a bigint or a string\); got /;
  await expectRefused(getPartitionCounts, [2 ** 60], RangeError, advice);
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

test("an unknown kind is a TypeError that names the two known ones", async () => {
  const kinds = ["Sentiment", "topic", "", undefined, null, 1, {}, Symbol("topics")];
  await expectRefused((kind) => getFindings(1, kind), kinds, TypeError, /^kind must be "sentiment" or "topics"; got /);
});

test("a partition index that is not a number is a TypeError, and one that is no safe integer a RangeError", async () => {
  const call = (/** @type {number} */ index) => getPartition(1, "topics", index);
  await expectRefused(call, [undefined, null, "0", 0n, {}, true], TypeError, /^partitionIndex must be a number; got /);
  const message = /^partitionIndex must be an integer from 0 to /;
  await expectRefused(call, [...notWhole, -1, 2 ** 53], RangeError, message);
});

test("options that are not an object are a TypeError", async () => {
  const options = [null, 5, "retries", true, Symbol("options"), () => {}];
  await expectRefused((one) => getPartitionCounts(1, one), options, TypeError, /^options must be an object; got /);
});

const milliseconds = { types: ["1000", 1000n], ranges: [...notWhole, 0, -1, 2 ** 31] };

/** @type {Record<string, { types: unknown[], ranges?: number[] }>} values of wrong types, and numbers out of the range */
const wrongOptions = {
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
  signal: { types: [{}, true, "signal", 1, new AbortController(), () => {}] },
  concurrency: { types: [null, "6", 6n, {}, true], ranges: [...notWhole, 0, -1, 1001] },
  timeout: milliseconds,
  totalTimeout: milliseconds,
  maxPartitionBytes: milliseconds,
  retries: { types: [null, "3", 3n, true], ranges: [...notWhole, -1, 1001] },
  maxRetryAfter: { types: [null, "3", 3n], ranges: [...notWhole, -1, 2 ** 31] },
  columns: { types: [{}, "Comment", 1, [""], [1], [null], [undefined], [["Comment"]], new Array(1), new Set()] },
  completeness: { types: [null, true, "", "loose", "Strict", 1] },
  readCounts: { types: [{}, "counts", 1] },
  onProgress: { types: [{}, "progress", 1] },
};

test.for(Object.entries(wrongOptions))(
  "the option %s of a wrong type is a TypeError, and out of its range a RangeError, each of which names it",
  async ([name, { types, ranges = [] }]) => {
    const call = (/** @type {unknown} */ value) => getFindings(1, "topics", { [name]: value });
    await expectRefused(call, types, TypeError, new RegExp(`^${name}\\b`));
    await expectRefused(call, ranges, RangeError, new RegExp(`^${name}\\b`));
  },
);

test("options that are the value of one option are a TypeError that says how to pass it", async () => {
  const { signal } = new AbortController();
  for (const [options, remedy] of [
    ["https://service.test/", "a string: pass { baseUrl }"],
    [new URL("https://service.test/"), "a URL: pass { baseUrl }"],
    [signal, "an AbortSignal: pass { signal }"],
    [new Headers(), "a Headers: pass { headers }"],
    [new Map(), "a Map: convert it by Object.fromEntries()"],
  ]) {
    const message = `options must be an object; got ${remedy}`;
    const client = new FindingsClient(/** @type {any} */ (options));
    expect((await rejectionOf(client.getPartitionCounts(1))).message).toBe(message);
    expect((await rejectionOf(getFindings(1, "topics", /** @type {any} */ (options)))).message).toBe(message);
  }
  expect(asked).toEqual([]);
});

test("growth without from is a TypeError, unless from is null", async () => {
  serve();
  using client = new FindingsClient();
  for (const growth of /** @type {const} */ (["append", "reload"])) {
    for (const options of /** @type {any[]} */ ([{ growth }, { growth, from: undefined }])) {
      const message = /^growth needs from, .*: pass both, or from: null where there is no earlier table$/;
      await expectRefused((one) => client.loadTable(1, "topics", one), [options], TypeError, message);
      await expectRefused((one) => client.watchTable(1, "topics", one).done, [options], TypeError, message);
    }
  }
  using table = await client.loadTable(1, "topics", { growth: "append", from: null });
  expect(table.length).toBe(6);
});

test("an unknown option is a TypeError that lists the known ones", async () => {
  for (const unknown of ["retry", "baseURL", "constructor", "__proto__x", ""]) {
    const message = new RegExp(`"${unknown}".*the options are baseUrl, headers, .*onPartition`);
    await expectRefused((options) => getFindings(1, "topics", options), [{ [unknown]: 3 }], TypeError, message);
    const client = new FindingsClient(/** @type {any} */ ({ [unknown]: undefined }));
    await expectRefused(() => client.getPartitionCounts(1), [unknown], TypeError, message);
  }
});

test("the error of an unknown option names a similar one, and lists the options of the call", async () => {
  const messageOf = async (/** @type {Promise<unknown>} */ call) => (await rejectionOf(call)).message;
  using client = new FindingsClient();
  const wrong = /** @type {any} */ ({ retry: 1 });
  expect(await messageOf(client.getPartitionCounts(1, wrong))).toBe(
    'unknown option "retry" (did you mean retries?); the options are baseUrl, headers, credentials, cache, fetch, ' +
      "worker, signal, timeout, totalTimeout, retries, maxRetryAfter, maxPartitionBytes, readCounts",
  );
  expect(await messageOf(client.loadTable(1, "topics", wrong))).toMatch(/columns, from, growth$/);
  expect(await messageOf(getPartition(1, "topics", 0, /** @type {any} */ ({ maxRetries: 1 })))).toMatch(
    /^unknown option "maxRetries"; the options are/,
  );
});

test("a message says what an argument must be, and what was given", async () => {
  const forms = "an object, a list of pairs";
  /** @type {[any, string][]} */
  const messages = [
    [{ headers: "x" }, `headers must be ${forms}, a Headers, or a function that returns one of these; got a string`],
    [{ headers: () => 5 }, "the result of headers must be an object, a list of pairs or a Headers; got a number"],
    [{ headers: { Authorization: undefined } }, 'headers must have a string for "Authorization"; got undefined'],
    [{ headers: [["a", "b"], ["c"]] }, "headers must consist of pairs of a name and a value; entry 2 is not one"],
    [{ baseUrl: "https://service.test/?a=1" }, "baseUrl must not have a query string"],
    [{ baseUrl: "https://service.test/#a" }, "baseUrl must not have a fragment"],
    [{ baseUrl: "https://ann@service.test/" }, "baseUrl must not have credentials: pass them as headers"],
    [{ baseUrl: "ftp://service.test/" }, 'baseUrl must be an http or https URL; got "ftp://service.test/"'],
    [
      { baseUrl: `https://service.test/${"é".repeat(1400)}` },
      `baseUrl must have at most 8192 characters; got "https://service.test/${"é".repeat(79)}…"`,
    ],
    [{ baseUrl: "http://" }, 'baseUrl must be a valid URL; got "http://"'],
    [{ completeness: "Strict" }, 'completeness must be "strict" or "off"; got "Strict"'],
    [{ columns: "Topic.Text" }, 'columns must be a list of names of columns; got "Topic.Text"'],
    [{ columns: ["Topic.Text", ""] }, 'columns[1] must be the name of a column; got ""'],
    [{ columns: ["a.\ud83d"] }, 'columns[0] must be the name of a column; got "a.\\ud83d"'],
    [{ columns: Array.from({ length: 2_001 }, () => "a.b") }, "columns must have at most 4000 keys"],
    [
      { columns: ["a".repeat(1_000_001)] },
      "columns is too long: its names have 1000001 bytes, but at most 1000000 fit",
    ],
    [{ concurrency: 0 }, "concurrency must be an integer from 1 to 1000; got 0"],
    [{ retries: "3" }, 'retries must be a number; got "3"'],
    [{ signal: {} }, "signal must be an AbortSignal; got an object"],
    [{ signal: new AbortController() }, "signal must be an AbortSignal; got an AbortController: pass its signal"],
    [{ baseUrl: Promise.resolve("") }, "baseUrl must be a string or a URL; got a promise: await it"],
    [{ columns: new Set() }, "columns must be a list of names of columns; got a Set"],
    [{ growth: "append" }, "growth does not apply to this call, only to loadTable, watchTable and load of a store"],
    [{ order: "index" }, "order does not apply to this call, only to streamPartitions and streamTables"],
  ];
  for (const [options, message] of messages) {
    expect((await rejectionOf(getFindings(1, "topics", options))).message).toBe(message);
  }
  expect(asked).toEqual([]);
});

test("each call of a client with wrong options rejects with its own error", async () => {
  using client = new FindingsClient({ retries: -1 });
  const [one, other] = [await rejectionOf(client.getFindings(1, "topics")), await rejectionOf(client.preload())];
  expect(one).not.toBe(other);
  expect([one.constructor, one.message]).toEqual([other.constructor, other.message]);
});

test("wrong options of resume() reject it, and the options of the call stay in force", async () => {
  let isBroken = true;
  serve({ respond: ({ index }) => (isBroken && index === 1 ? new Response(null, { status: 410 }) : undefined) });
  const options = /** @type {const} */ ({ failurePolicy: "collect", concurrency: 2 });
  const failure = /** @type {any} */ (await rejectionOf(getFindings(1, "topics", options)));
  isBroken = false;
  asked.length = 0;
  await expectRefused(failure.resume, [{ retrys: 10 }, { retrys: undefined }], TypeError, /retrys/);
  await expectRefused(failure.resume, [{ order: "index" }], TypeError, /order/);
  await expectRefused(failure.resume, [{ retries: -1 }], RangeError, /retries/);
  expect(await failure.resume({ retries: 1, order: undefined })).toHaveLength(6);
});

test("wrong arguments and options of a live table become its state", async () => {
  using client = new FindingsClient();
  const wrong = [{ retrys: 1 }, { order: "index" }, { retries: -1 }, 5];
  for (const given of [[1.5, "topics"], [1, "other"], ...wrong.map((options) => [1, "topics", options])]) {
    const live = client.watchTable(.../** @type {[any, any, any?]} */ (given));
    const reason = await rejectionOf(live.done);
    expect(live.getSnapshot()).toMatchObject({ state: "failed", error: reason });
    expect(reason.name).toMatch(/^(Type|Range)Error$/);
  }
  expect(asked).toEqual([]);
});
