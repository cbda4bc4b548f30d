/** Traps: whatever a page passes to the package, a call ends with a documented outcome, and the module continues. */

import fc from "fast-check";
import { FindingsClient, FindingsError, FindingsTable, getPartition } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { afterAll, describe, expect, test } from "vitest";
import { timesOf } from "../counts.js";
import { testWith } from "./engine.js";
import { mentionsNever, Oddity, oddities, rejected, throwing } from "./oddities.js";
import { failureOf, outcomeOf, pause } from "./outcome.js";
import { closeRealms, startManualInRealm } from "./realm.js";
import { bodyOf, fetchOf, likelyFinding, uses } from "./tables.js";
import { takeTrouble } from "./trouble.js";

/** What no error may say: the words of a module that has trapped, or of its glue that was called when it must not be. */
const trap =
  /unreachable|recursive use|null pointer passed|out of bounds|already borrowed|take ownership|invoked recursively|after being dropped|externref|RuntimeError|expected instance of|function signature mismatch|indirect call/i;

const findings = [likelyFinding(0), likelyFinding(1), { Comment: "two", Sentiment: -1, Topic: null }];
const fetch = fetchOf([findings, findings]);
const sound = new FindingsClient({ fetch });
const oddity = fc.constantFrom(...Object.keys(oddities));

afterAll(() => sound.free());

/**
 * One call under test, with a table that callbacks may free.
 * @typedef {{ client: FindingsClient, controller: AbortController, table: any }} Trial
 */

/**
 * Makes a call and holds it to what every call promises.
 * @param {(trial: Trial) => unknown} call
 * @param {{ mayHang?: boolean, options?: () => any }} [circumstances]
 */
async function hold(call, { mayHang = false, options = () => ({}) } = {}) {
  const controller = new AbortController();
  const table = await sound.loadTable(1, "topics");
  /** @type {FindingsClient | undefined} */
  let client;
  const outcome = outcomeOf(
    Promise.try(() => {
      const given = options();
      const { signal } = controller;
      // On top of sound options; what is no object stands for all of them.
      const isObject = typeof given === "object" && given !== null;
      client = new FindingsClient(isObject ? { fetch, retries: 1, maxRetryAfter: 10, signal, ...given } : given);
      return call({ client, controller, table });
    }),
  );
  const outcomeWithin = (/** @type {number} */ milliseconds) =>
    Promise.race([outcome, /** @type {Promise<undefined>} */ (pause(milliseconds))]);
  let settled = await outcomeWithin(mayHang ? 20 : 50_000);
  expect(settled !== undefined || mayHang, "the call should be settled by itself").toBe(true);
  if (settled === undefined) {
    controller.abort(new Oddity("enough"));
    settled = await outcomeWithin(20);
  }
  client?.free();
  settled ??= await outcomeWithin(50_000);
  expect(settled, "the call should be settled by abort or by free").toBeDefined();
  expectUnderstandable(settled);
  table.free();
  expect(await takeTrouble()).toEqual([]);
  expect(await sound.getPartition(1, "topics", 0)).toEqual(findings);
}

/** What a callback throws that is no error. */
const mine = { odd: true };

/** @param {{ reason?: any }} [outcome] */
function expectUnderstandable(outcome = {}) {
  if (!("reason" in outcome) || outcome.reason instanceof Oddity || outcome.reason === mine) return;
  const { reason } = outcome;
  const isKnown = reason instanceof TypeError || reason instanceof RangeError || reason instanceof FindingsError;
  expect(isKnown, `rejected with ${String(reason)}`).toBe(true);
  for (let error = reason; isError(error) && !(error instanceof Oddity); error = error.cause) {
    expect(error).not.toBeInstanceOf(WebAssembly.RuntimeError);
    expect(error.message).not.toMatch(trap);
  }
}

/** Of an oddity not even this can be asked. @param {unknown} value */
function isError(value) {
  return attempted(() => value instanceof Error).value === true;
}

/** @param {fc.IAsyncProperty<any>} property @param {number} numRuns */
function check(property, numRuns) {
  return fc.assert(property, { numRuns: timesOf(numRuns), endOnFailure: true });
}

/** @type {Record<string, (client: any, key?: any, kind?: any, index?: any, options?: any) => unknown>} */
const operations = {
  getPartitionCounts: (client, key = 1, _kind, _index, options) => client.getPartitionCounts(key, options),
  getPartition: (client, key = 1, kind = "topics", index = 0, options) =>
    client.getPartition(key, kind, index, options),
  getFindings: (client, key = 1, kind = "topics", _index, options) => client.getFindings(key, kind, options),
  loadTable: async (client, key = 1, kind = "topics", _index, options) =>
    (await client.loadTable(key, kind, options)).free(),
  loadPartition: async (client, key = 1, kind = "topics", index = 0, options) =>
    (await client.loadPartition(key, kind, index, options)).free(),
  streamTables: async (client, key = 1, kind = "topics", _index, options) => {
    for await (const { table } of client.streamTables(key, kind, options)) table.free();
  },
  streamPartitions: (client, key = 1, kind = "topics", _index, options) =>
    Array.fromAsync(client.streamPartitions(key, kind, options)),
};
const operation = fc.constantFrom(...Object.keys(operations));

/** Every option: one that is missing here is an error of the types. @satisfies {Record<keyof import("inspection-findings").Options, 0>} */
const everyOption = {
  ...{ baseUrl: 0, headers: 0, credentials: 0, cache: 0, fetch: 0, worker: 0, signal: 0, concurrency: 0, timeout: 0 },
  ...{ totalTimeout: 0, retries: 0, maxRetryAfter: 0, completeness: 0, maxPartitionBytes: 0, failurePolicy: 0 },
  ...{ order: 0, maxBufferedBytes: 0, readCounts: 0, onProgress: 0, onPartition: 0, columns: 0 },
};
const optionNames = [...Object.keys(everyOption), "unknown"];

/** Options by the names of oddities. */
const oddOptions = fc.oneof(
  fc.dictionary(fc.constantFrom(...optionNames), oddity, { minKeys: 1, maxKeys: 3 }),
  oddity.map((name) => ({ itself: name })),
);

/** @param {Record<string, string>} named @returns {any} */
function optionsOf({ itself, ...named }) {
  if (itself !== undefined) return oddities[itself]();
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, oddities[value]()]));
}

describe("no trap, and a documented outcome, whatever is passed as", () => {
  test("options of a call or of its client", async () => {
    await check(
      fc.asyncProperty(operation, oddOptions, fc.boolean(), (name, options, isOfClient) =>
        hold(({ client }) => operations[name](client, ...(isOfClient ? [] : [1, "topics", 0, optionsOf(options)])), {
          mayHang: mentionsNever(options) || "timeout" in options,
          ...(isOfClient && { options: () => optionsOf(options) }),
        }),
      ),
      600,
    );
  });

  test("a response, its body, or a piece of it", async () => {
    /** @type {Record<string, (odd: any) => any>} */
    const places = {
      response: (odd) => odd,
      status: (status) => ({ status, body: null }),
      headers: (headers) => ({ status: 503, headers, body: null }),
      body: (body) => ({ status: 200, body, arrayBuffer: () => body }),
      "read()": (odd) => ({ status: 200, body: { getReader: () => ({ read: () => odd, cancel: () => odd }) } }),
      piece: (value) => ({ status: 500, body: { getReader: () => ({ read: () => ({ done: false, value }) }) } }),
    };
    const name = fc.constantFrom("getPartition", "getFindings", "loadTable");
    const where = fc.constantFrom(...Object.keys(places));
    await check(
      fc.asyncProperty(name, where, oddity, fc.boolean(), (name, place, odd, isOfCounts) =>
        hold(
          ({ client }) => {
            const isOdd = (/** @type {string} */ href) => /Topics/.test(href) !== isOfCounts;
            const give = (/** @type {string} */ href, /** @type {any} */ init) =>
              isOdd(href) ? places[place](oddities[odd]()) : fetch(href, init);
            return operations[name](client, 1, "topics", 0, { fetch: give, timeout: 4000 });
          },
          { mayHang: true },
        ),
      ),
      600,
    );
  });
});

/** @param {() => unknown} work @returns {{ value?: any, reason?: any }} */
function attempted(work) {
  try {
    return { value: work() };
  } catch (reason) {
    return { reason };
  }
}

describe("no trap when a callback", () => {
  /** What a callback may do before it responds. @type {Record<string, (trial: Trial) => unknown>} */
  const acts = {
    nothing: () => {},
    "abort the call": ({ controller }) => controller.abort(new Oddity("aborted")),
    "free the client": ({ client }) => client.free(),
    "free the table": ({ table }) => table.free(),
    "query the table": ({ table }) => table.countBy("Comment"),
    "call again": ({ client }) => void client.getFindings(2, "sentiment", { fetch }).catch(() => {}),
    "call again and free": (trial) => [acts["call again"](trial), trial.client.free()],
    "call again and abort": (trial) => [acts["call again"](trial), acts["abort the call"](trial)],
    "make another client": () => {
      using client = new FindingsClient({ fetch });
      client.getPartitionCounts(3).catch(() => {});
    },
  };
  const act = fc.constantFrom(...Object.keys(acts));
  const outcome = fc.oneof(fc.constantFrom("what is right", "a throw", "a throw of an object", "a rejection"), oddity);
  /** What a place is right to return. @type {Record<string, () => unknown>} */
  const right = {
    headers: () => ({ authentication: "x" }),
    readCounts: () => ({ topics: { partitions: 2 }, sentiment: { partitions: 2 } }),
    onProgress: () => {},
    status: () => 200,
  };

  const body = new TextEncoder().encode(bodyOf(findings));
  const tooSmall = { maxPartitionBytes: body.length + 1 };
  const reader = { read: () => ({ done: false, value: body.slice() }), cancel: () => {} };

  /** A fetch whose bodies are read by these members of a reader. @param {object} members */
  const fetchRead = (members) => (/** @type {string} */ href, /** @type {RequestInit} */ init) =>
    /Topics/.test(href) ? { status: 200, body: { getReader: () => ({ ...reader, ...members }) } } : fetch(href, init);

  /** Options with a callback at a place. @type {Record<string, (callback: (...args: any[]) => any) => any>} */
  const places = {
    headers: (headers) => ({ headers }),
    readCounts: (readCounts) => ({ readCounts }),
    onProgress: (onProgress) => ({ onProgress }),
    fetch: (callback) => ({
      fetch: (/** @type {any} */ href, /** @type {any} */ init) => callback() ?? fetch(href, init),
    }),
    "abort of the request": (callback) => ({
      fetch: (/** @type {string} */ href, /** @type {RequestInit} */ init) => {
        if (/Topics/.test(href)) init.signal?.addEventListener("abort", () => attempted(callback));
        return fetchRead({})(href, init);
      },
      ...tooSmall,
    }),
    cancel: (cancel) => ({ fetch: fetchRead({ cancel }), ...tooSmall }),
    read: (read) => ({ fetch: fetchRead({ read }) }),
    status: (get) => ({ fetch: () => Object.defineProperty({ body: null }, "status", { get }) }),
    "looping over headers": (get) => ({ headers: Object.defineProperty({}, Symbol.iterator, { get }) }),
    // biome-ignore lint/suspicious/noThenProperty: that it is one is the point
    then: (then) => ({ fetch: () => ({ then }) }),
    "an option": (get) => Object.defineProperty({ fetch }, "timeout", { get, enumerable: true }),
  };
  const place = fc.constantFrom(...Object.keys(places));

  test("throws, calls again, ends its own call, or returns an oddity", async () => {
    await check(
      fc.asyncProperty(place, act, outcome, operation, fc.nat(4), (where, what, how, name, when) =>
        hold(
          (trial) => {
            let asked = 0;
            const callback = (/** @type {any[]} */ ...args) => {
              if (asked++ === when) {
                acts[what](trial);
                if (how === "a throw") return throwing();
                if (how === "a throw of an object") throw mine;
                if (how === "a rejection") return rejectionAt(where);
                if (how in oddities) return oddities[how]();
              }
              return where === "then" ? args[0]?.(fetch("1/Topics/0")) : right[where]?.();
            };
            return operations[name](trial.client, 1, "topics", 0, {
              ...places[where](callback),
              // It applies to calls for several partitions only.
              ...(/Counts|Partition$/.test(name) ? {} : { concurrency: 2 }),
            });
          },
          { mayHang: true },
        ),
      ),
      1000,
    );
  });
});

describe("no trap when reading an argument frees a table", () => {
  /**
   * A value in place of an argument: whatever is done with it, and with what it has, acts first.
   * @param {any} value
   * @param {() => void} act
   * @returns {any}
   */
  function acting(value, act) {
    if (typeof value === "number") return { valueOf: () => [act(), value][1] };
    if (typeof value !== "object" || value === null) return value;
    const traps = /** @type {(keyof ProxyHandler<object>)[]} */ (
      Object.getOwnPropertyNames(Reflect).filter((name) => name !== "constructor")
    );
    const handler = Object.fromEntries(
      traps.map((name) => [
        name,
        (/** @type {any[]} */ ...args) => {
          act();
          return /** @type {any} */ (Reflect)[name](...args);
        },
      ]),
    );
    return new Proxy(value, handler);
  }

  /** @param {Record<string, unknown>} members @param {() => void} act */
  function withGetters(members, act) {
    const entries = Object.entries(members).map(([name, value]) => [
      name,
      { get: () => [act(), value][1], enumerable: true, configurable: true },
    ]);
    return Object.defineProperties({}, Object.fromEntries(entries));
  }

  const [keys, values] = [["a"], ["b"]];

  /** The methods, each with an argument that acts when it is read. @type {Record<string, (table: any, act: () => void, other: any) => unknown>} */
  const methods = {
    at: (table, act) => table.at(acting(1, act)),
    slice: (table, act) => table.slice(acting(0, act), acting(1, act)),
    "countBy a list": (table, act) => table.countBy(acting(["Comment"], act)),
    "countBy distinct": (table, act) => table.countBy("Comment", withGetters({ distinct: "TopicGroup" }, act)),
    summarize: (table, act) => table.summarize(acting(["Comment"], act), acting({ mean: "Sentiment" }, act)),
    "filter by a list": (table, act) => table.filter(acting([{ Sentiment: 1 }, { Sentiment: 0 }], act)),
    "filter by conditions": (table, act) => table.filter(acting({ Sentiment: acting([1], act) }, act)),
    "filter by a range": (table, act) => table.filter({ Sentiment: withGetters({ min: 0, max: 1 }, act) }),
    sortBy: (table, act) => table.sortBy(acting(["Comment"], act), acting(["asc"], act)),
    select: (table, act) => table.select(acting(["Comment"], act)),
    "with getters": (table, act) => table.with("new", withGetters({ by: "Comment", keys, values }, act)),
    "with lists": (table, act) =>
      table.with("new", { by: "Comment", keys: acting(keys, act), values: acting(values, act) }),
    "with an object": (table, act) => table.with("new", { by: "Comment", values: acting({ a: "b" }, act) }),
    "with a Map": (table, act) => {
      const map = new Map([["a", "b"]]);
      map[Symbol.iterator] = () => {
        act();
        return new Map([["a", "b"]]).entries();
      };
      return table.with("new", { by: "Comment", values: map });
    },
    "concat a generator": (table, act, other) =>
      FindingsTable.concat(
        (function* () {
          for (const one of [table, other]) {
            yield one;
            act();
          }
        })(),
      ),
    "concat what is no table": (table, act) => FindingsTable.concat([table, acting({}, act)]),
    "concat a proxy of a table": (table, act, other) => FindingsTable.concat([table, acting(other, act), table]),
    "concat names": (table, act, other) =>
      FindingsTable.concat(
        [table, other],
        /** @type {any} */ (withGetters({ name: "new", values: acting([1, 2], act) }, act)),
      ),
    "toArrowIPC options": (table, act) => toArrowIPC(table, withGetters({ strings: "utf8", schema: undefined }, act)),
    "toArrowIPC a schema": (table, act) => {
      const schema = toArrowIPC(table);
      for (const name of ["byteLength", "byteOffset", "buffer", "slice", Symbol.toStringTag]) {
        const value = Reflect.get(schema, name);
        const read = () => [act(), typeof value === "function" ? value.bind(schema) : value][1];
        Object.defineProperty(schema, name, { get: read });
      }
      return toArrowIPC(table, { schema });
    },
    "toArrowIPC a proxy of a table with values of several types": async (_table, act, other) => {
      const table = await FindingsTable.from([
        { a: "\ud800", b: [1] },
        { a: 1, b: "x" },
      ]);
      const frees = () => [act(), other.freed && table.free()];
      const get = (/** @type {any} */ target, /** @type {PropertyKey} */ name) => {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (/** @type {any[]} */ ...args) => {
          const result = value.apply(target, args);
          if (name !== Symbol.for("inspection-findings.source")) frees();
          return result;
        };
      };
      return toArrowIPC(new Proxy(table, { get }));
    },
    "from of a call": (table, act) => sound.loadTable(1, "topics", withGetters({ from: table, timeout: 1000 }, act)),
    "from of a live table": async (table, act) => {
      using live = sound.watchTable(1, "topics", withGetters({ from: table, timeout: 1000 }, act));
      await live.done;
    },
    "the name of a saved table": (table, act) => {
      const described = Object.getOwnPropertyDescriptor(Object.prototype, "toJSON");
      Object.defineProperty(Object.prototype, "toJSON", { get: () => void act(), configurable: true });
      try {
        return table.toBytes();
      } finally {
        if (described === undefined) delete (/** @type {any} */ (Object.prototype).toJSON);
      }
    },
  };

  test.for(Object.entries(methods))("of %s", async ([, call]) => {
    for (let when = 0; when < 12; when++) {
      const [kept, table, other] = [
        await sound.loadTable(1, "topics"),
        await sound.loadTable(1, "topics"),
        await sound.loadTable(1, "topics"),
      ];
      let asked = 0;
      const act = () => {
        if (asked++ !== when) return;
        table.free();
        other.free();
      };
      const outcome = await outcomeOf(Promise.try(() => call(table, act, other)));
      expectUnderstandable(outcome);
      // A module that had stopped would have lost it.
      expect(kept.length).toBe(2 * findings.length);
      for (const one of [kept, table, other]) one.free();
    }
    expect(await takeTrouble()).toEqual([]);
  });
});

/** What a page may ask of a table, which may be freed meanwhile. */
const questions = { ...uses, toArrowIPC };

/**
 * Calls `work` repeatedly at the end of the stack, with a little more of it each time. Returns what came of it, except where there was not even
 * stack to take note.
 * @param {() => unknown} work
 * @param {number} times
 */
function onExhaustedStack(work, times) {
  /** @type {{ value?: any, reason?: any }[]} */
  const outcomes = [];
  let left = times;
  const descend = () => {
    try {
      descend();
    } catch {
      // The end of the stack.
    }
    if (left-- > 0) outcomes.push(attempted(work));
  };
  descend();
  return outcomes;
}

testWith("a stack that ends as V8's does")(
  "a caller's endless recursion may stop the module, but no call hangs, and the next one works",
  { timeout: 120_000 },
  async () => {
    /** @type {((client: any, table: any) => any)[]} */
    const deeds = [
      ...Object.values(operations).map((call) => (/** @type {any} */ client) => call(client)),
      ...Object.values(questions).map((ask) => (/** @type {any} */ _client, /** @type {any} */ table) => ask(table)),
      (client) => client.streamPartitions(1, "topics").next(),
    ];
    await check(
      fc.asyncProperty(fc.constantFrom(...deeds), fc.integer({ min: 1, max: 500 }), async (deed, count) => {
        const { package: manual } = await startManualInRealm();
        const client = new manual.FindingsClient({ fetch });
        const table = await client.loadTable(1, "topics");
        const outcomes = onExhaustedStack(() => deed(client, table), count);
        const settled = await Promise.all(
          outcomes.map((outcome) => ("reason" in outcome ? outcome : outcomeOf(Promise.resolve(outcome.value)))),
        );
        const reasons = settled.flatMap((outcome) => ("reason" in outcome ? [outcome.reason] : []));
        const isOfStack = (/** @type {any} */ { name, message }) => name === "RangeError" && /call stack/.test(message);
        // With an exhausted stack, the URL of the page cannot be read either.
        const isExpected = (/** @type {any} */ reason) =>
          isOfStack(reason) || reason.code === "memory" || /^baseUrl is required/.test(reason.message);
        expect(reasons.filter((reason) => !isExpected(reason))).toEqual([]);
        expect(await client.getFindings(1, "topics")).toEqual([...findings, ...findings]);
        await takeTrouble();
        closeRealms();
      }),
      40,
    );
  },
);

describe("ends with a documented outcome:", () => {
  /** A partition by a fetch that gives this. @param {() => unknown} give */
  const partitionBy = (give) => getPartition(1, "topics", 0, { fetch: /** @type {any} */ (give), retries: 0 });

  const response = (/** @type {object} */ reader, status = 200) => ({ status, body: { getReader: () => reader } });

  /** @param {unknown[]} pieces */
  const readerOf = (...pieces) => ({ read: () => ({ done: pieces.length === 0, value: pieces.shift() }) });

  /** @type {[string, string, (make: () => unknown) => unknown][]} */
  const givers = [
    ["a fetch", "a promise without then", (make) => make()],
    ["read()", "a promise whose then throws", (make) => response({ read: make })],
    ["arrayBuffer()", "a detached buffer", (make) => ({ status: 200, arrayBuffer: async () => make() })],
    ["a body", "detached bytes", (make) => response(readerOf(make()))],
    ["a body", "bytes that say they are more", (make) => response(readerOf(make()))],
  ];

  test.for(givers)("%s that gives %s is a network failure", async ([, name, give]) => {
    const failure = await failureOf(partitionBy(() => give(oddities[name])));
    expect(failure).toMatchObject({ code: "network", cause: expect.anything() });
  });

  test("bytes with changed members are still read", async () => {
    const bytes = /** @type {Uint8Array} */ (oddities["bytes that cannot be cut"]());
    new TextEncoder().encodeInto(bodyOf(findings).padEnd(bytes.length), bytes);
    expect(await partitionBy(() => response(readerOf(bytes)))).toEqual(findings);
  });

  test.for([200, 500])("a body with status %i that yields empty pieces forever, without a wait", async (status) => {
    const reader = { read: () => ({ done: false, value: new Uint8Array() }) };
    const fetch = /** @type {any} */ (() => response(reader, status));
    // Long enough that the response arrives before it, however busy the machine is.
    const call = getPartition(1, "topics", 0, { fetch, retries: 0, timeout: 2_000 });
    expect(await failureOf(call)).toMatchObject({ code: status === 200 ? "timeout" : "http" });
  });

  test("a signal that calls removed listeners, and does not remove them", async () => {
    /** @type {(() => void)[]} */
    const listeners = [];
    const signal = {
      aborted: false,
      reason: undefined,
      addEventListener: (/** @type {string} */ _event, /** @type {() => void} */ listener) => listeners.push(listener),
      removeEventListener: throwing,
    };
    const table = await sound.loadTable(1, "topics", { signal: /** @type {any} */ (signal) });
    expect(listeners.length).toBeGreaterThan(0);
    for (const listener of listeners) expect(listener).not.toThrow();
    // A module that had stopped would have lost it.
    expect(table.length).toBe(2 * findings.length);
    table.free();
    expect(await takeTrouble()).toEqual([]);
  });
});

/** Where a promise is looked at: a promise that nobody looks at is for those to handle who made it. */
const awaited = ["headers", "readCounts", "onProgress", "fetch", "cancel", "read"];

/** @param {string} where */
function rejectionAt(where) {
  return awaited.includes(where) ? Promise.reject(new Oddity("a callback rejected")) : rejected();
}
