/** Traps: whatever a page passes to the package, a call ends with a documented outcome, and the module continues. */

import fc from "fast-check";
import { FindingsClient, FindingsError, FindingsTable, getPartition } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { afterAll, describe, expect, test, vi } from "vitest";
import { OPTION_NAMES } from "../../src/js/core/client/options/option-table.ts";
import { timesOf } from "../counts.js";
import { callsOfClient } from "./calls.js";
import { Oddity, oddities, rejected, throwing } from "./oddities.js";
import { failureOf, outcomeOf, pause } from "./outcome.js";
import { bodyOf, fetchOf, likelyFindings } from "./tables.js";
import { takeTrouble } from "./trouble.js";

/** What no error may say: the words of a module that has trapped, or of its glue that was called when it must not be. */
const trap =
  /unreachable|recursive use|null pointer passed|out of bounds|already borrowed|take ownership|invoked recursively|after being dropped|externref|RuntimeError|expected instance of|function signature mismatch|indirect call/i;

const findings = [...likelyFindings(2), { Comment: "two", Sentiment: -1, Topic: null }];
const fetch = fetchOf([findings, findings]);
const sound = new FindingsClient({ fetch });

afterAll(() => sound.free());

/** One call under test, with a table that callbacks may free. */
type Trial = { client: FindingsClient; controller: AbortController; table: any };

/** Makes a call and holds it to what every call promises. */
async function hold(call: (trial: Trial) => unknown, mayHang: boolean, optionsOfClient: (trial: Trial) => any) {
  const table = await sound.loadTable(1, "topics");
  const controller = new AbortController();
  const trial = { controller, table } as Trial;
  const outcome = outcomeOf(
    Promise.try(() => {
      const given = optionsOfClient(trial);
      // On top of sound options; what is no object stands for all of them.
      const isObject = typeof given === "object" && given !== null;
      const usual = { fetch, retries: 1, maxRetryAfter: 10, concurrency: 2, signal: controller.signal };
      trial.client = new FindingsClient(isObject ? { ...usual, ...given } : given);
      return call(trial);
    }),
  );
  const ends: [end: () => void, milliseconds: number][] = [
    [() => {}, mayHang ? 20 : 50_000],
    [() => controller.abort(new Oddity("enough")), 20],
    [() => trial.client?.free(), 50_000],
  ];
  let settled: any;
  for (const [end, milliseconds] of ends) {
    end();
    settled ??= await Promise.race([outcome, pause(milliseconds)]);
    expect(settled !== undefined || mayHang, "the call should be settled by itself").toBe(true);
  }
  expect(settled, "the call should be settled by abort or by free").toBeDefined();
  expectUnderstandable(settled);
  table.free();
  expect(await takeTrouble()).toEqual([]);
  expect(await sound.getPartition(1, "topics", 0)).toEqual(findings);
}

/** What a callback throws that is no error. */
const mine = { odd: true };

function expectUnderstandable(outcome: { reason?: any } = {}) {
  if (!("reason" in outcome) || outcome.reason instanceof Oddity || outcome.reason === mine) return;
  const { reason } = outcome;
  const isKnown = reason instanceof TypeError || reason instanceof RangeError || reason instanceof FindingsError;
  expect(isKnown, `rejected with ${String(reason)}`).toBe(true);
  for (let error = reason; isError(error) && !(error instanceof Oddity); error = error.cause) {
    expect(error).not.toBeInstanceOf(WebAssembly.RuntimeError);
    expect(error.message).not.toMatch(trap);
  }
}

/** Of an oddity not even this can be asked. */
function isError(value: unknown) {
  return attempted(() => value instanceof Error).value === true;
}

function attempted(work: () => unknown): { value?: any; reason?: any } {
  try {
    return { value: work() };
  } catch (reason) {
    return { reason };
  }
}

/** What a place has: once something odd, otherwise what is right. */
type Give = (right?: unknown) => any;

const body = new TextEncoder().encode(bodyOf(findings));
const tooSmall = { maxPartitionBytes: body.length + 1 };
const reader = { read: () => ({ done: false, value: body.slice() }), cancel: () => {} };

/** Options with a fetch whose bodies are read by these members of a reader. */
const readBy = (members: object) => ({
  fetch: (href: string, init: RequestInit) =>
    /Topics/.test(href) ? { status: 200, body: { getReader: () => ({ ...reader, ...members }) } } : fetch(href, init),
});

/** Options whose value is odd. */
const values: Record<string, (give: Give) => any> = {
  "the options": (give) => give({}),
  ...Object.fromEntries([...OPTION_NAMES, "unknown"].map((name) => [name, (give: Give) => ({ [name]: give() })])),
};

/** Options with something that the package calls, reads or receives while the call runs. */
const callbacks: Record<string, (give: Give) => any> = {
  "headers()": (give) => ({ headers: () => give({ authentication: "x" }) }),
  "readCounts()": (give) => {
    const counts = { topics: { partitions: 2 }, sentiment: { partitions: 2 } };
    return { readCounts: () => give(counts) };
  },
  "onProgress()": (give) => ({ onProgress: () => give() }),
  "onPartition()": (give) => ({ onPartition: () => give() }),
  "fetch()": (give) => ({ fetch: (href: any, init: any) => give(fetch(href, init)) }),
  "abort of the request": (give) => ({
    fetch: (href: string, init: RequestInit) => {
      if (/Topics/.test(href)) init.signal?.addEventListener("abort", () => attempted(give));
      return readBy({}).fetch(href, init);
    },
    ...tooSmall,
  }),
  "cancel()": (give) => ({ ...readBy({ cancel: () => give() }), ...tooSmall }),
  "read()": (give) => readBy({ read: () => give({ done: false, value: body.slice() }) }),
  piece: (give) => readBy({ read: () => ({ done: false, value: give(body.slice()) }) }),
  status: (give) => ({ fetch: () => Object.defineProperty({ body: null }, "status", { get: () => give(200) }) }),
  "headers of a response": (give) => ({ fetch: () => ({ status: 503, headers: give(new Headers()), body: null }) }),
  body: (give) => ({ fetch: () => ({ status: 200, body: give(null), arrayBuffer: async () => body.buffer }) }),
  "arrayBuffer()": (give) => ({ fetch: () => ({ status: 200, arrayBuffer: () => give(body.buffer) }) }),
  "looping over headers": (give) => ({ headers: Object.defineProperty({}, Symbol.iterator, { get: () => give() }) }),
  "then()": (give) => ({
    // biome-ignore lint/suspicious/noThenProperty: that it is one is the point
    fetch: () => ({ then: (fulfil: any) => [give(), fulfil?.(fetch("1/Topics/0"))][0] }),
  }),
  "an option": (give) =>
    Object.defineProperty({ fetch }, "timeout", { get: () => give(), enumerable: true, configurable: true }),
};

/** Where a promise is looked at: a promise that nobody looks at is for those to handle who made it. */
const awaited = ["headers()", "readCounts()", "onProgress()", "onPartition()", "fetch()", "cancel()", "read()"];

/** What the caller's code may do before it responds. */
const acts: Record<string, (trial: Trial) => unknown> = {
  nothing: () => {},
  "abort the call": ({ controller }) => controller.abort(new Oddity("aborted")),
  "free the client": ({ client }) => client?.free(),
  "free the table": ({ table }) => table.free(),
  "query the table": ({ table }) => table.countBy("Comment"),
  "call again": ({ client }) => void client?.getFindings(2, "sentiment", { fetch }).catch(() => {}),
  "call again and free": (trial) => [acts["call again"]?.(trial), trial.client?.free()],
  "call again and abort": (trial) => [acts["call again"]?.(trial), acts["abort the call"]?.(trial)],
  "make another client": () => {
    using client = new FindingsClient({ fetch });
    client.getPartitionCounts(3).catch(() => {});
  },
};

/** What comes of it. */
const outcomes: Record<string, (right: unknown, place: string) => unknown> = {
  "what is right": (right) => right,
  "a throw": throwing,
  "a throw of an object": () => {
    throw mine;
  },
  "a rejection": (_, place) => (awaited.includes(place) ? Promise.reject(new Oddity("rejected")) : rejected()),
  ...oddities,
};

const oneOf = (named: object) => fc.constantFrom(...Object.keys(named));

// P26
test("no trap, and a documented outcome, whatever is passed, given, thrown or done, wherever", async () => {
  const place = fc.oneof({ weight: 1, arbitrary: oneOf(values) }, { weight: 2, arbitrary: oneOf(callbacks) });
  const how = fc.oneof(fc.constantFrom(...Object.keys(outcomes).slice(0, 4)), oneOf(oddities));
  const property = fc.asyncProperty(
    oneOf(callsOfClient),
    place,
    oneOf(acts),
    how,
    fc.nat(4),
    fc.boolean(),
    async (name, place, act, how, when, isOfClient) => {
      const optionsOf = (trial: Trial) => {
        let asked = place in values ? when : 0;
        return { ...values, ...callbacks }[place]?.((right) => {
          if (asked++ !== when) return right;
          acts[act]?.(trial);
          return outcomes[how]?.(right, place);
        });
      };
      const mayHang = place in callbacks || how.includes("never") || place === "timeout";
      const call = (trial: Trial) =>
        callsOfClient[name]?.(trial.client, 1, "topics", 0, ...(isOfClient ? [] : [optionsOf(trial)]));
      await hold(call, mayHang, isOfClient ? optionsOf : () => ({}));
    },
  );
  await fc.assert(property, { numRuns: timesOf(2000), endOnFailure: true });
});

describe("no trap when reading an argument frees a table", () => {
  const handled = Object.getOwnPropertyNames(Reflect);

  /** A value in place of an argument: whatever is done with it, and with what it has, acts first. */
  function acting(value: any, act: () => void): any {
    if (typeof value === "number") return { valueOf: () => [act(), value][1] };
    if (typeof value !== "object" || value === null) return value;
    const handler = Object.fromEntries(
      handled.map((name) => [
        name,
        (...parameters: any[]) => {
          act();
          const result = (Reflect as any)[name](...parameters);
          const isPart = name === "get" && typeof result === "object";
          return isPart ? acting(result, act) : result;
        },
      ]),
    );
    return new Proxy(value, handler);
  }

  /** Calls with a table, another one, and something that acts when it is read. */
  const uses: Record<string, (table: any, act: () => void, other: any) => unknown> = {
    at: (table, act) => table.at(acting(1, act)),
    slice: (table, act) => table.slice(acting(0, act), acting(1, act)),
    countBy: (table, act) => table.countBy(acting(["Comment"], act), acting({ distinct: "TopicGroup" }, act)),
    summarize: (table, act) => table.summarize(acting(["Comment"], act), acting({ mean: "Sentiment" }, act)),
    filter: (table, act) => table.filter(acting([{ Sentiment: [1] }, { Sentiment: { min: 0, max: 1 } }], act)),
    sortBy: (table, act) => table.sortBy(acting(["Comment"], act), acting(["asc"], act)),
    select: (table, act) => table.select(acting(["Comment"], act)),
    "with lists": (table, act) => table.with("new", acting({ by: "Comment", keys: ["a"], values: ["b"] }, act)),
    "with an object": (table, act) => table.with("new", acting({ by: "Comment", values: { a: "b" } }, act)),
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
      FindingsTable.concat([table, other], acting({ name: "new", values: ["a", "b"] }, act)),
    "toArrowIPC options": (table, act) => toArrowIPC(table, acting({ strings: "utf8" }, act)),
    "from of a call": (table, act) => sound.loadTable(1, "topics", acting({ from: table, timeout: 1000 }, act)),
  };

  test.for(Object.entries(uses))("by %s", async ([, use]) => {
    for (let when = 0, asked = 1; when < asked && when < 40; when++) {
      const tables = await Promise.all([1, 2, 3].map((key) => sound.loadTable(key, "topics")));
      const [kept, table, other] = tables as [any, any, any];
      asked = 0;
      const act = () => {
        if (asked++ !== when) return;
        table.free();
        other.free();
      };
      const outcome = await outcomeOf(Promise.try(() => use(table, act, other)));
      expect(asked).toBeGreaterThan(0);
      expectUnderstandable(outcome);
      // A module that had stopped would have lost it.
      expect(kept.length).toBe(2 * findings.length);
      for (const one of tables) one.free();
    }
    expect(await takeTrouble()).toEqual([]);
  });
});

describe("ends with a documented outcome:", () => {
  /** A partition by a fetch that gives a body with this reader. */
  const partitionBy = (reader: any, status = 200) => {
    const fetch: any = () => ({ status, body: { getReader: () => reader } });
    // Long enough that the response arrives before it, however busy the machine is.
    return getPartition(1, "topics", 0, { fetch, retries: 0, timeout: 2_000 });
  };

  test("bytes with changed members are still read", async () => {
    const bytes = oddities["bytes that cannot be cut"]?.() as Uint8Array<ArrayBuffer>;
    new TextEncoder().encodeInto(bodyOf(findings).padEnd(bytes.length), bytes);
    const pieces = [{ value: bytes }, { done: true }];
    expect(await partitionBy({ read: () => pieces.shift() })).toEqual(findings);
  });

  test.for([200, 500])("a body with status %i that yields empty pieces forever, without a wait", async (status) => {
    const reader = { read: () => ({ done: false, value: new Uint8Array() }) };
    expect(await failureOf(partitionBy(reader, status))).toMatchObject({ code: status === 200 ? "timeout" : "http" });
  });

  test("a signal that calls removed listeners, and does not remove them", async () => {
    const addEventListener = vi.fn();
    const signal = { aborted: false, reason: undefined, addEventListener, removeEventListener: throwing };
    const table = await sound.loadTable(1, "topics", { signal: signal as any });
    expect(addEventListener).toHaveBeenCalled();
    for (const [, listener] of addEventListener.mock.calls) expect(listener).not.toThrow();
    // A module that had stopped would have lost it.
    expect(table.length).toBe(2 * findings.length);
    table.free();
    expect(await takeTrouble()).toEqual([]);
  });
});
