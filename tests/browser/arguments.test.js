/** Wrong arguments: each is refused before any request, by an error that names it. */

import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { rejectionOf } from "./outcome.js";
import { describeValue } from "./same.js";
import { asked, serve } from "./service.js";

/** @typedef {TypeErrorConstructor | RangeErrorConstructor} Wrong */

/** Everything that takes an inspection key, wrong or not. */
const calls = {
  getPartitionCounts: (/** @type {any} */ key, /** @type {any} */ options) => getPartitionCounts(key, options),
  getPartition: (/** @type {any} */ key, /** @type {any} */ options) => getPartition(key, "topics", 0, options),
  getFindings: (/** @type {any} */ key, /** @type {any} */ options) => getFindings(key, "topics", options),
};

/** @type {[unknown, Wrong][]} */
const wrongKeys = [
  [undefined, TypeError],
  [null, TypeError],
  ["42", TypeError],
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

describe.for(Object.entries(calls))("%s", ([, call]) => {
  test.for(wrongKeys.map(([key, wrong]) => [describeValue(key), wrong.name, key, wrong]))(
    "refuses the inspection key %s by a %s",
    async ([, , key, wrong]) => {
      const error = await rejectionOf(call(key, undefined));
      expect(error).toBeInstanceOf(wrong);
      expect(error.constructor).toBe(wrong);
      expect(error.message).toMatch(/^inspectionKey must be /);
      expect(asked).toEqual([]);
    },
  );

  test("refuses options that are not an object", async () => {
    for (const options of [null, 5, "retries", true, Symbol("options"), () => {}]) {
      const error = await rejectionOf(call(1, options));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/^options must be an object, not /);
    }
    expect(asked).toEqual([]);
  });
});

test("a key may be any safe integer, or a bigint of at most 64 bits", async () => {
  serve({ partitions: 0 });
  for (const key of [0, -0, -7, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2n ** 63n - 1n, -(2n ** 63n), 7n]) {
    await getPartitionCounts(key);
    expect(asked.at(-1)?.path).toBe(`Findings/${BigInt(key)}`);
  }
});

test("an unknown kind is a TypeError that names the two known ones", async () => {
  for (const kind of ["Sentiment", "topic", "", undefined, null, 1, {}, Symbol("topics")]) {
    for (const call of [getFindings(1, /** @type {any} */ (kind)), getPartition(1, /** @type {any} */ (kind), 0)]) {
      const error = await rejectionOf(call);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/^kind must be "sentiment" or "topics", not /);
    }
  }
  expect(asked).toEqual([]);
});

test("a partition index that is not a number is a TypeError", async () => {
  for (const index of [undefined, null, "0", 0n, {}, true]) {
    const error = await rejectionOf(getPartition(1, "topics", /** @type {any} */ (index)));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^partitionIndex must be a number, not /);
  }
  expect(asked).toEqual([]);
});

test("a partition index that is negative, not an integer or not safe is a RangeError", async () => {
  for (const index of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    const error = await rejectionOf(getPartition(1, "topics", index));
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toMatch(/^partitionIndex must be an integer from 0 to /);
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
  completeness: [[TypeError, [null, true, "", "loose", "Strict", 1]]],
  maxPartitionBytes: [
    [TypeError, [null, "1", 1n]],
    [RangeError, [0, -1, 1.5, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY]],
  ],
  readCounts: [[TypeError, [null, {}, "counts", 1]]],
  onProgress: [[TypeError, [null, {}, "progress", 1]]],
};

describe.for(Object.entries(wrongOptions))("the option %s", ([name, expectations]) => {
  test.for(expectations)("of a call, when it is wrong, is a $0.name that names it", async ([wrong, values]) => {
    for (const value of values) {
      for (const call of Object.values(calls)) {
        const error = await rejectionOf(call(1, { [name]: value }));
        expect(error.constructor, `${name}: ${describeValue(value)}`).toBe(wrong);
        expect(error.message, `${name}: ${describeValue(value)}`).toMatch(new RegExp(`^${name}\\b`));
      }
    }
    expect(asked).toEqual([]);
  });

  test.for(expectations)(
    "of a client, when it is wrong, is a $0.name of each of its calls",
    async ([wrong, values]) => {
      for (const value of values) {
        const client = new FindingsClient(/** @type {any} */ ({ [name]: value }));
        for (const call of [
          client.getPartitionCounts(1),
          client.getPartition(1, "topics", 0),
          client.getFindings(1, "topics"),
        ]) {
          const error = await rejectionOf(call);
          expect(error.constructor, `${name}: ${describeValue(value)}`).toBe(wrong);
          expect(error.message).toMatch(new RegExp(`^${name}\\b`));
        }
        client.free();
      }
      expect(asked).toEqual([]);
    },
  );

  test("counts as left out when it is undefined", async () => {
    serve({ partitions: 1 });
    expect(await getFindings(1, "topics", { [name]: undefined })).toHaveLength(2);
  });
});

test("the message about a base URL does not quote what could be secret in it", async () => {
  for (const baseUrl of [
    "https://ann:secret@service.test/",
    "https://service.test/?token=secret",
    "https://service.test/#secret",
  ]) {
    expect((await rejectionOf(getFindings(1, "topics", { baseUrl }))).message).not.toContain("secret");
  }
});

test("a signal that is null counts as none, as in fetch", async () => {
  serve({ partitions: 1 });
  expect(await getFindings(1, "topics", { signal: null })).toHaveLength(2);
});

test.for([
  ["retry", "retries"],
  ["baseURL", "baseUrl"],
  ["baseurl", "baseUrl"],
  ["header", "headers"],
  ["onprogress", "onProgress"],
  ["totaltimeout", "totalTimeout"],
  ["concurency", "concurrency"],
])("the unknown option %s is a TypeError that names it and the nearest known one, %s", async ([unknown, nearest]) => {
  const client = new FindingsClient(/** @type {any} */ ({ [unknown]: undefined }));
  const errors = [
    await rejectionOf(getFindings(1, "topics", /** @type {any} */ ({ [unknown]: 3 }))),
    await rejectionOf(client.getPartitionCounts(1)),
  ];
  for (const error of errors) {
    expect(error.constructor).toBe(TypeError);
    expect(error.message).toContain(`"${unknown}"`);
    expect(error.message).toContain(`"${nearest}"`);
  }
  expect(asked).toEqual([]);
});

test("nothing is thrown synchronously, whatever the arguments", async () => {
  const client = new FindingsClient(/** @type {any} */ (7));
  const wrong = /** @type {any} */ ({});
  for (const call of [
    getPartitionCounts(wrong, wrong),
    getPartition(wrong, wrong, wrong, wrong),
    getFindings(wrong, wrong, wrong),
    client.getPartitionCounts(wrong),
    client.getPartition(wrong, wrong, wrong),
    client.getFindings(wrong, wrong),
  ]) {
    expect(call).toBeInstanceOf(Promise);
    expect(await rejectionOf(call)).toBeInstanceOf(TypeError);
  }
});

test("a call rejects with what a getter of its options throws", async () => {
  const thrown = new Error("the getter");
  const options = {
    /** @returns {number} */
    get retries() {
      throw thrown;
    },
  };
  expect(await rejectionOf(getFindings(1, "topics", options))).toBe(thrown);
});

test("a wrong call leaves its client usable", async () => {
  serve({ partitions: 1 });
  const client = new FindingsClient();
  await rejectionOf(client.getFindings(1, /** @type {any} */ ("neither")));
  await rejectionOf(client.getFindings(1, "topics", { retries: -1 }));
  expect(await client.getFindings(1, "topics")).toHaveLength(2);
  client.free();
});
