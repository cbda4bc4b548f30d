/** Wrong arguments: each is refused before any request, by an error that names it. */

import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { describe, expect, test } from "vitest";
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
    for (const [names, given, wrong, message] of wrongArguments) {
      if (names.test(name)) {
        const [key, kind, index, options] = given;
        const error = await rejectionOf(call(client, key, kind, index, options));
        expect([error.constructor, error.message]).toEqual([wrong, expect.stringMatching(message)]);
      }
    }
    client.free();
    if (!name.startsWith("the function")) {
      const error = await rejectionOf(call(client, 1, "topics", 0));
      expect([error.constructor, error.message]).toEqual([TypeError, expect.stringContaining("freed")]);
    }
    expect(asked).toEqual([]);
  },
);

/** @type {[unknown, Wrong][]} */
const wrongKeys = [
  [undefined, TypeError],
  [null, TypeError],
  ...["", " 42", "42 ", "042", "+42", "-0", "4_2", "4.0", "4e1", "0x2a", "NaN", "42n", "４２", "text"].map(notDecimal),
  ...[`${2n ** 63n}`, `${-(2n ** 63n) - 1n}`, "1".repeat(1_000_000)].map(notDecimal),
  [true, TypeError],
  [{}, TypeError],
  [[42], TypeError],
  [Object(42), TypeError],
  [Symbol("42"), TypeError],
  [() => 42, TypeError],
  [Number.NaN, RangeError],
  [Number.POSITIVE_INFINITY, RangeError],
  [2.5, RangeError],
  [2 ** 53, RangeError],
  [-(2 ** 53), RangeError],
  [2n ** 63n, RangeError],
  [-(2n ** 63n) - 1n, RangeError],
];

/**
 * @param {string} key
 * @returns {[unknown, Wrong]}
 */
function notDecimal(key) {
  return [key, TypeError];
}

test.for(wrongKeys.map(([key, wrong]) => [describeValue(key), wrong.name, key, wrong]))(
  "the inspection key %s is a %s",
  async ([, , key, wrong]) => {
    const error = await rejectionOf(getPartitionCounts(/** @type {any} */ (key)));
    expect(error.constructor).toBe(wrong);
    expect(error.message).toMatch(/^inspectionKey must be /);
    expect(asked).toEqual([]);
  },
);

test("options that are not an object are a TypeError", async () => {
  for (const options of [null, 5, "retries", true, Symbol("options"), () => {}]) {
    const error = await rejectionOf(getPartitionCounts(1, /** @type {any} */ (options)));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^options must be an object; got /);
  }
  expect(asked).toEqual([]);
});

test("the error of a key beyond the safe integers says how to pass it", async () => {
  expect((await rejectionOf(getPartitionCounts(2 ** 60))).message).toBe(
    `inspectionKey must be a safe integer (pass larger keys as a bigint or a string); got ${2 ** 60}`,
  );
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
  for (const kind of ["Sentiment", "topic", "", undefined, null, 1, {}, Symbol("topics")]) {
    const error = await rejectionOf(getFindings(1, /** @type {any} */ (kind)));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^kind must be "sentiment" or "topics"; got /);
  }
  expect(asked).toEqual([]);
});

/** @type {[string, Wrong, any[], RegExp][]} */
const wrongIndexes = [
  ["not a number", TypeError, [undefined, null, "0", 0n, {}, true], /^partitionIndex must be a number; got /],
  [
    "no safe integer",
    RangeError,
    [-1, 0.5, Number.NaN, Infinity, 2 ** 53],
    /^partitionIndex must be an integer from 0 to /,
  ],
];

test.for(wrongIndexes)("a partition index that is %s is a $1.name", async ([, wrong, indexes, message]) => {
  for (const index of indexes) {
    const error = await rejectionOf(getPartition(1, "topics", index));
    expect([error.constructor, error.message]).toEqual([wrong, expect.stringMatching(message)]);
  }
  expect(asked).toEqual([]);
});

/** @type {Record<string, [Wrong, unknown[]][]>} */
const wrongOptions = {
  baseUrl: [
    [
      TypeError,
      [
        null,
        5,
        {},
        "http://",
        "ftp://service.test/",
        "file:///cxi/",
        "javascript:alert(1)",
        "data:,",
        "https://service.test/?a=1",
        "https://service.test/#a",
        "https://ann@service.test/",
        "https://ann:secret@service.test/",
        new URL("https://service.test/cxi/?a=1"),
      ],
    ],
  ],
  headers: [
    [
      TypeError,
      [
        null,
        5,
        "accept: text/plain",
        true,
        [["one"]],
        { "not a name": "x" },
        { name: "line\nbreak" },
        { name: undefined },
        { name: null },
        [["name", undefined]],
        { name: "\u{1F600}" },
      ],
    ],
  ],
  credentials: [[TypeError, [null, true, "", "all", 1]]],
  cache: [[TypeError, [null, true, "", "never", 1]]],
  fetch: [[TypeError, [null, {}, "fetch", 1]]],
  signal: [[TypeError, [{}, true, "signal", 1, new AbortController(), () => {}]]],
  concurrency: [
    [TypeError, [null, "6", 6n, {}, true]],
    [RangeError, [0, -1, 1.5, 1001, Number.NaN, Number.POSITIVE_INFINITY]],
  ],
  timeout: [
    [TypeError, [null, "1000", 1000n]],
    [RangeError, [0, -1, 1.5, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY]],
  ],
  totalTimeout: [
    [TypeError, [null, "1000", 1000n]],
    [RangeError, [0, -1, 1.5, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY]],
  ],
  retries: [
    [TypeError, [null, "3", 3n, true]],
    [RangeError, [-1, 1.5, 1001, Number.NaN, Number.POSITIVE_INFINITY]],
  ],
  maxRetryAfter: [
    [TypeError, [null, "3", 3n]],
    [RangeError, [-1, 1.5, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY]],
  ],
  columns: [
    [TypeError, [null, {}, "Comment", 1, [""], [1], [null], [undefined], [["Comment"]], new Array(1), new Set()]],
  ],
  completeness: [[TypeError, [null, true, "", "loose", "Strict", 1]]],
  maxPartitionBytes: [
    [TypeError, [null, "1", 1n]],
    [RangeError, [0, -1, 1.5, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY]],
  ],
  readCounts: [[TypeError, [null, {}, "counts", 1]]],
  onProgress: [[TypeError, [null, {}, "progress", 1]]],
};

describe.for(Object.entries(wrongOptions))("the option %s", ([name, expectations]) => {
  test.for(expectations)("that is wrong is a $0.name that names it", async ([wrong, values]) => {
    for (const value of values) {
      const error = await rejectionOf(getFindings(1, "topics", { [name]: value }));
      expect(error.constructor, `${name}: ${describeValue(value)}`).toBe(wrong);
      expect(error.message, `${name}: ${describeValue(value)}`).toMatch(new RegExp(`^${name}\\b`));
    }
    expect(asked).toEqual([]);
  });
});

test.for(["retry", "baseURL", "constructor", "__proto__x", ""])(
  "the unknown option %j is a TypeError that lists the known ones",
  async (unknown) => {
    const client = new FindingsClient(/** @type {any} */ ({ [unknown]: undefined }));
    const errors = [
      await rejectionOf(getFindings(1, "topics", /** @type {any} */ ({ [unknown]: 3 }))),
      await rejectionOf(client.getPartitionCounts(1)),
    ];
    for (const error of errors) {
      expect(error.constructor).toBe(TypeError);
      expect(error.message).toContain(`"${unknown}"`);
      expect(error.message).toMatch(/the options are baseUrl, headers, .*onPartition/);
    }
    expect(asked).toEqual([]);
  },
);

test("the error of an unknown option names a similar one, and lists the options of the call", async () => {
  const messageOf = async (/** @type {Promise<unknown>} */ call) => (await rejectionOf(call)).message;
  const client = new FindingsClient();
  const wrong = /** @type {any} */ ({ retry: 1 });
  expect(await messageOf(client.getPartitionCounts(1, wrong))).toBe(
    'unknown option "retry" (did you mean retries?); the options are baseUrl, headers, credentials, cache, fetch, ' +
      "worker, signal, timeout, totalTimeout, retries, maxRetryAfter, maxPartitionBytes, readCounts, measure",
  );
  expect(await messageOf(new FindingsClient(wrong).getPartitionCounts(1))).toMatch(/measure$/);
  expect(await messageOf(client.loadTable(1, "topics", wrong))).toMatch(/measure, from$/);
  expect(await messageOf(getPartition(1, "topics", 0, /** @type {any} */ ({ maxRetries: 1 })))).toMatch(
    /^unknown option "maxRetries"; the options are/,
  );
});

test("a message says what an argument must be, and what was given", async () => {
  /** @type {[any, string][]} */
  const messages = [
    [
      { headers: "x" },
      "headers must be an object, a list of pairs, a Headers, or a function that returns one of these; got a string",
    ],
    [{ headers: () => 5 }, "headers must return an object, a list of pairs or a Headers; got a number"],
    [{ headers: () => {} }, "headers must return an object, a list of pairs or a Headers; got undefined"],
    [{ headers: { Authorization: undefined } }, 'headers must have a string for "Authorization"; got undefined'],
    [{ headers: () => [["Authorization", null]] }, 'headers must have a string for "Authorization"; got null'],
    [{ headers: [["a", "b"], ["c"]] }, "headers must consist of pairs of a name and a value; entry 2 is not one"],
    [{ baseUrl: "https://service.test/?a=1" }, "baseUrl must not have a query string"],
    [{ baseUrl: "https://service.test/#a" }, "baseUrl must not have a fragment"],
    [{ baseUrl: "https://ann@service.test/" }, "baseUrl must not have credentials: pass them as headers"],
    [{ baseUrl: "ftp://service.test/" }, 'baseUrl must be an http or https URL; got "ftp://service.test/"'],
    [{ baseUrl: "http://" }, 'baseUrl must be a valid URL; got "http://"'],
    [{ baseUrl: 5 }, "baseUrl must be a string or a URL; got 5"],
    [{ completeness: "Strict" }, 'completeness must be "strict", "warn" or "off"; got "Strict"'],
    [{ columns: "Topic.Text" }, 'columns must be a list of names of columns; got "Topic.Text"'],
    [{ columns: ["Topic.Text", ""] }, 'columns[1] must be the name of a column; got ""'],
    [{ columns: [1] }, "columns[0] must be the name of a column; got 1"],
    [{ columns: ["a.\ud83d"] }, 'columns[0] must be the name of a column; got "a.\\ud83d"'],
    [{ columns: Array.from({ length: 2_001 }, () => "a.b") }, "columns must have at most 4000 keys"],
    [{ concurrency: 0 }, "concurrency must be an integer from 1 to 1000; got 0"],
    [{ retries: "3" }, 'retries must be a number; got "3"'],
    [{ signal: {} }, "signal must be an AbortSignal; got an object"],
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
  const before = asked.length;
  for (const [wrong, type] of /** @type {[object, Wrong][]} */ ([
    [{ retrys: 10 }, TypeError],
    [{ retrys: undefined }, TypeError],
    [{ order: "index" }, TypeError],
    [{ retries: -1 }, RangeError],
  ])) {
    const error = await rejectionOf(failure.resume(wrong));
    expect(error.constructor).toBe(type);
    expect(error.message).toMatch(Object.keys(wrong)[0]);
  }
  expect(asked).toHaveLength(before);
  expect(await failure.resume({ retries: 1, order: undefined })).toHaveLength(6);
});

test("wrong arguments and options of a live table become its state", async () => {
  using client = new FindingsClient();
  const calls = [
    [1.5, "topics"],
    [1, "other"],
    ...[{ retrys: 1 }, { order: "index" }, { retries: -1 }, 5].map((options) => [1, "topics", options]),
  ];
  for (const given of calls) {
    const live = client.watchTable(.../** @type {[any, any, any?]} */ (given));
    const reason = await rejectionOf(live.done);
    expect(live.getSnapshot()).toMatchObject({ state: "failed", error: reason });
    expect(reason.name).toMatch(/^(Type|Range)Error$/);
  }
  expect(asked).toEqual([]);
});
