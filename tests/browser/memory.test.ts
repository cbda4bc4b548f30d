/** Memory: nothing leaks, and a lack of memory is an error of code `memory`. */

import type { FindingsClient, LiveTable, Options } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { timesOf } from "../counts.js";
import { limited, page } from "./binary.js";
import { has, testWith } from "./engine.js";
import { collectGarbage } from "./garbage.js";
import { startWatchedWorker } from "./kept.js";
import { shortName } from "./module-names.js";
import { pause, rejectionOf } from "./outcome.js";
import { addresses, type ManualPackage, openRealm, startManualInRealm } from "./realm.js";
import { serve, withoutServiceWorker } from "./service.js";
import { bodyOf, fetchOf, likelyFindings as findings, uses } from "./tables.js";
import { responseOf } from "./wire.js";
import { collect } from "./wires";

/**
 * Loads the package in a separate realm whose memory can grow by `spare` bytes, or without a limit, and which lacks some globals.
 * `used` is the size of its memory in bytes, and `occupied` how much of it is occupied.
 */
async function start(spare?: number, lacking?: string[]) {
  const realm = await startManualInRealm((bytes) => (spare === undefined ? bytes : limited(bytes, spare)), lacking);
  const used = () => realm.exports.memory.buffer.byteLength;
  /** Takes a piece of memory. Returns 0 if there is none. */
  const leak = (size: number) => {
    try {
      return realm.exports[shortName("__wbindgen_malloc")](size, 4);
    } catch {
      return 0;
    }
  };
  const giveBack = (piece: number, size: number) => realm.exports[shortName("__wbindgen_free")](piece, size, 4);
  return {
    manual: realm.package,
    used,
    leak,
    giveBack,
    occupied: () => {
      const before = used();
      const pieces: number[] = [];
      while (used() === before) pieces.push(leak(smallest - header));
      for (const piece of pieces) giveBack(piece, smallest - header);
      return before - (pieces.length - 1) * smallest;
    },
  };
}

/** The bytes of the smallest thing that can be lost, with those that the allocator writes before it. */
const smallest = 16;
const header = 4;

/** The result of a use, or a word for its error. */
async function outcomeOf(use: () => unknown): Promise<any> {
  try {
    return await use();
  } catch (error: any) {
    return error?.code ?? String(error);
  }
}

/** A word for how a use ends. */
const wordFor = async (use: () => unknown) => {
  const outcome = await outcomeOf(use);
  return typeof outcome === "string" ? outcome : "all right";
};

describe("the memory of the module does not grow", () => {
  test("by the data of the snapshots that are held, but by their lists of partitions", async () => {
    const partitions = Array.from({ length: 40 }, (_, index) => findings(250, 250 * index));
    const load = async (isHeld: boolean) => {
      const { manual, occupied } = await start();
      const held: any[] = [];
      const live: LiveTable<any> = new manual.FindingsClient({ fetch: fetchOf(partitions) }).watchTable(1, "topics", {
        onProgress: () => void (isHeld && held.push(live.getSnapshot())),
      });
      const { byteLength } = await live.done;
      live.free();
      await pause(20);
      const bytes = occupied();
      expect(held.map(({ table }) => table.length)).toEqual(
        Array.from({ length: isHeld ? 41 : 0 }, (_, at) => 250 * at),
      );
      return { bytes, byteLength };
    };
    const [none, all] = [await load(false), await load(true)];
    expect(none.byteLength).toBeGreaterThan(500_000);
    expect(all.bytes - none.bytes).toBeLessThan(41 * 2500);
  });

  test("by the fields that the option columns leaves out", async () => {
    const { manual, used } = await start();
    const client = new manual.FindingsClient({ fetch: (href) => respond(href), concurrency: 1 });
    let respond = fetchOf([]);
    /** The memory for findings whose comments differ, and the bytes of their table. */
    const load = async (partitions: number) => {
      respond = fetchOf(Array.from({ length: partitions }, (_, index) => findings(2000, 2000 * index)));
      const table = await client.loadTable(1, "topics", { columns: ["TopicGroup", "Sentiment", "Topic.Text"] });
      const { byteLength } = table;
      table.free();
      return { byteLength, memory: used() };
    };
    const [few, many] = [await load(5), await load(50)];
    expect(many.byteLength - few.byteLength).toBeLessThan(90_000 * 20);
    expect(many.memory - few.memory).toBeLessThan(90_000 * 30);
  });

  const some = findings(500);
  const refused = JSON.stringify({ Findings: some, errors: ["no".repeat(10_000)] });

  /** A fetch for two partitions that acts before it responds with the second. */
  const acting = (act: () => unknown) => async (href: string, init: any) =>
    (/Topics.1$/.test(href) ? act() : undefined) ?? fetchOf([some, some])(href, init);

  const get = (options: Options) => (manual: ManualPackage) =>
    manual.getFindings(1, "topics", { fetch: fetchOf([some]), retries: 0, ...options });

  /** A client of each module. */
  const clients = new WeakMap<ManualPackage, FindingsClient>();

  const calls: Record<string, (manual: ManualPackage, number: number) => Promise<unknown>> = {
    "findings as an array": get({ fetch: fetchOf([some, some]) }),
    "a body that is cut": get({ fetch: fetchOf([some, bodyOf(some).slice(0, -60)]) }),
    "errors of the service": get({ fetch: fetchOf([some, refused]) }),
    "a body that is too large": get({ maxPartitionBytes: 1000 }),
    "a total that is wrong": get({ readCounts: () => ({ topics: { partitions: 1, findings: 7 } }) }),
    "an abort": (manual) => {
      const controller = new AbortController();
      const fetch = acting(() => controller.abort());
      return manual.getFindings(1, "topics", { fetch, signal: controller.signal });
    },
    "a stream of tables that is left, with tables that nobody has read": async (manual) => {
      const client = new manual.FindingsClient({ fetch: fetchOf([some, some, some, some]) });
      const stream = client.streamTables(1, "topics");
      (await stream.next()).value?.table.free();
      await pause(1);
      await stream.return?.();
      client.free();
    },
    "a call of a client with another headers function": (manual) => {
      const client = clients.get(manual) ?? new manual.FindingsClient({ fetch: fetchOf([some]) });
      clients.set(manual, client);
      return client.getPartitionCounts(1, { headers: async () => ({}) });
    },
    "a table and its views, which are freed in another order than they were made": async (manual, number) => {
      const client = new manual.FindingsClient({ fetch: fetchOf([some, some]) });
      const table = await client.loadTable(1, "topics");
      const view = table.filter({ Sentiment: { min: 0 } });
      const sorted = view.sortBy("Comment");
      sorted.countBy("Topic.Text", "TopicGroup");
      sorted.at(-1);
      for (const one of number % 2 === 0 ? [table, view, sorted] : [sorted, view, table]) one.free();
      client.free();
    },
    "a partition as a table": async (manual) => {
      const client = new manual.FindingsClient({ fetch: fetchOf([some]) });
      (await client.loadPartition(1, "topics", 0)).free();
      client.free();
    },
    ...(has("garbage collection") && { "a call that is resumed": resumed }),
  };

  /** What the error of such a call holds is freed when the error is collected. */
  async function resumed(manual: ManualPackage, number: number) {
    let lacks = true;
    const fetch = acting(() => (lacks ? new Response(null, { status: 404 }) : undefined));
    const error = await rejectionOf(manual.getFindings(1, "topics", { fetch, failurePolicy: "collect" }));
    lacks = false;
    expect(await error.resume()).toHaveLength(1000);
    // If much waited for that, gaps would remain.
    if (number % 20 === 19) await collectGarbage();
  }

  /** Enough that the half of what they could lose exceeds what a single call leaves until a later collection: up to 528 bytes. */
  const rounds = Math.max(80, timesOf(200));
  const tolerance = (rounds * smallest) / 2;

  /** How much more memory is occupied after many calls than after a few. Each call loses `lost` bytes. */
  async function growth(
    call: (manual: ManualPackage, number: number) => Promise<unknown>,
    { lost = 0, lacking }: { lost?: number; lacking?: string[] } = {},
  ) {
    const { manual, leak, occupied } = await start(undefined, lacking);
    const occupiedAfter = async (count: number) => {
      for (let number = 0; number < count; number++) {
        await call(manual, number).catch(() => {});
        if (lost > 0) leak(lost);
      }
      if (has("garbage collection")) await collectGarbage();
      return occupied();
    };
    const few = await occupiedAfter(20);
    return (await occupiedAfter(rounds)) - few;
  }

  test.for(Object.entries(calls))("after many times %s", async ([, call]) => {
    expect(await growth(call)).toBeLessThan(tolerance);
  });

  test("after many calls of plain functions, in a host that finalises nothing", async () => {
    const call = async (manual: ManualPackage) => {
      const options = { fetch: fetchOf([some]) };
      await manual.getPartitionCounts(1, options);
      await manual.getPartition(1, "topics", 0, options);
      await manual.getFindings(1, "topics", options);
      await manual.getFindings(1, "topics", { ...options, maxPartitionBytes: 1000 });
    };
    expect(await growth(call, { lacking: ["FinalizationRegistry"] })).toBeLessThan(tolerance);
  });

  testWith("garbage collection")("by errors, clients and live tables that their own options can reach", async () => {
    const { manual } = await start();
    const fetch = fetchOf([findings(5), findings(5)]);
    const failing = async (href: string, init: any) =>
      href.endsWith("/Topics/1") ? Promise.reject(new Error("refused")) : fetch(href, init);
    /** What holds something that options of its call can reach. */
    const reached: Record<string, (holder: any) => Promise<unknown>> = {
      "the partial error, by onProgress": async (holder) => {
        const options = { fetch: failing, retries: 0, onProgress: () => void holder.held };
        holder.held = await rejectionOf(manual.getFindings(1, "topics", { ...options, ...collect }));
        expect(holder.held.resume).toBeTypeOf("function");
      },
      "the live table, by onPartition": async (holder) => {
        const options = { fetch: failing, retries: 0, onPartition: () => void holder.held };
        holder.held = new manual.FindingsClient({ ...options, ...collect }).watchTable(1, "topics");
        await rejectionOf(holder.held.done);
      },
      "the client, by headers": async (holder) => {
        holder.held = new manual.FindingsClient({ fetch, headers: () => ({ has: String("held" in holder) }) });
        await holder.held.getFindings(1, "topics");
      },
      "the table, by readCounts": async (holder) => {
        const readCounts = ({ TopicPartitions: partitions }: any) => {
          void holder.held;
          return { topics: { partitions }, sentiment: { partitions } };
        };
        holder.held = await new manual.FindingsClient({ fetch, readCounts }).loadTable(1, "topics");
      },
    };
    /** Makes a holder in a function of which nothing is left. */
    const referenceOf = async (make: (holder: any) => Promise<unknown>) => {
      const holder: any = {};
      await make(holder);
      return new WeakRef(holder.held as object);
    };
    for (const [name, make] of Object.entries(reached)) {
      const held = await referenceOf(make);
      for (let time = 0; time < 50 && held.deref() !== undefined; time++) await collectGarbage();
      expect(held.deref() === undefined, `${name} is collected`).toBe(true);
    }
  });

  test("and a leak of one small object for each call is noticed", async () => {
    expect(await growth(calls["a body that is cut"], { lost: 4 })).toBeGreaterThan(tolerance);
  });
});

testWith("garbage collection")(
  "calls that end early leave no body in the worker that sends their requests",
  async () => {
    const malformed = 5;
    serve({
      partitions: 2,
      respond: ({ inspectionKey, index }) =>
        index === 1 && Number(inspectionKey) === malformed ? new Response('{"Findings":[{"a":?}]}') : undefined,
    });
    const window = await openRealm();
    withoutServiceWorker(window);
    const manual = await window.load(addresses.manual);
    const { worker, kept } = startWatchedWorker(window);
    await manual.init({ module: addresses.wasm, worker: () => worker });
    const client: FindingsClient = new manual.FindingsClient({ worker: true, baseUrl: location.origin });
    await client.preload();
    const calls: ((key: number) => Promise<unknown>)[] = [
      (key) => client.getFindings(key, "topics"),
      async (key) => {
        for await (const _ of client.streamPartitions(key, "topics")) break;
      },
      (key) => {
        const controller = new AbortController();
        const onPartition = ({ index }: any) => void (index === 1 && controller.abort());
        return client.getFindings(key, "topics", { signal: controller.signal, onPartition });
      },
      (key) => client.loadTable(key, "topics", { maxPartitionBytes: 20 }),
    ];
    const count = timesOf(500);
    let number = 0;
    const lane = async () => {
      for (; number < count; number++) await calls[number % calls.length](number % 7).catch(() => {});
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    await collectGarbage();
    const { fetches, entries } = await kept();
    expect(fetches).toBeGreaterThan(0.8 * count);
    expect(entries).toBe(0);
  },
);

test("long texts of a query are copied whole, though the memory grows when the first one is", async () => {
  const realm = await startManualInRealm();
  const { window, package: manual } = realm;
  const text = `${"é".repeat(100_000)}😀${"x".repeat(200_000)}`;
  const lone = `${text}\ud800`;
  const client = new manual.FindingsClient({ fetch: fetchOf([[{ a: text }, { a: lone }, { a: "" }]]) });
  const table = await client.loadTable(1, "topics");
  const { TextEncoder } = window;
  window.TextEncoder = class extends TextEncoder {
    constructor() {
      super();
      realm.exports.memory.grow(1);
    }
  };
  const found = [{ a: text }, { a: lone }, { a: { contains: text.toUpperCase() } }, { a: { contains: `X\ud800` } }];
  expect(found.map((where) => table.filter(where).length)).toEqual([1, 1, 2, 1]);
});

test("a text of a query that the page encodes wrongly is an error, not an empty text", async () => {
  const { window, package: manual } = await startManualInRealm();
  const { TextEncoder } = window;
  window.TextEncoder = class extends TextEncoder {
    override encodeInto(text: string, target: Uint8Array<ArrayBuffer>) {
      if (text !== "wrong") return super.encodeInto(text, target);
      target.fill(0xff, 0, text.length);
      return { read: text.length, written: text.length };
    }
  };
  const table = await new manual.FindingsClient({ fetch: fetchOf([[{ a: "" }, { a: "wrong" }]]) }).loadTable(
    1,
    "topics",
  );
  expect(() => table.filter({ a: "wrong" } as any)).toThrow("out of memory");
});

test("a page whose BigInt throws gets the inspection of a number, and an error instead of another inspection", async () => {
  const { window, package: manual } = await startManualInRealm();
  const urls: string[] = [];
  const respond = fetchOf([[{ a: 1 }]]);
  const fetch = (url: string, init: RequestInit) => respond(urls[urls.push(url) - 1], init);
  const client = new manual.FindingsClient({ fetch });
  await client.getPartition(7, "topics", 0);
  window.BigInt = Object.assign(throws, { asIntN: window.BigInt.asIntN }) as any;
  await client.getPartition(42, "topics", 0);
  await expect(client.getPartition(43n, "topics", 0)).rejects.toThrow("the page has replaced a function");
  expect(urls.map((url) => url.match(/Findings\/(\d+)/)?.[1])).toEqual(["7", "42"]);
});

function throws() {
  throw new TypeError("replaced");
}

describe("when memory is exhausted", () => {
  const room = 96 * page;
  const large = fetchOf([`{"Findings":[${" ".repeat(2 * room)}]}`]);
  const many = fetchOf(Array.from({ length: 40 }, (_, partition) => findings(1000, 1000 * partition)));
  const few = fetchOf([findings(10)]);

  const calls: [string, (client: any) => Promise<any>][] = [
    ["a body that is too large", (client) => client.getFindings(1, "topics", { fetch: large })],
    ["a partition that is too large", (client) => client.getPartition(1, "topics", 0, { fetch: large })],
    ["a table that is too large", (client) => client.loadTable(1, "topics", { fetch: many })],
  ];

  test.for(calls)("%s is a memory error, and a smaller call succeeds", async ([, call]) => {
    const { manual } = await start(room);
    const client = new manual.FindingsClient({ fetch: few });
    for (let number = 0; number < 3; number++) {
      expect(await wordFor(() => call(client))).toBe("memory");
      expect(await client.getFindings(1, "topics")).toEqual(findings(10));
    }
    const error = await rejectionOf(call(client));
    expect(error).toBeInstanceOf(manual.FindingsError);
    expect([error.kind, error.inspectionKey]).toEqual(["topics", 1]);
    client.free();
  });

  test("the objects of any number of partitions need the memory of one", async () => {
    const { manual } = await start(room);
    expect(await manual.getFindings(1, "topics", { fetch: many })).toHaveLength(40_000);
  });

  const long = "x".repeat(20 * 1024 * 1024);
  const quoted = /"x{100}…"/;
  const late = () => ({ status: 500, headers: new Map([["retry-after", long]]), body: null });

  const get = (options: any) => (client: any) => client.getFindings(1, "topics", options);
  const ask = (use: (table: any) => unknown) => async (client: any) => use(await client.loadTable(1, "topics"));
  const lengthy: [string, (client: any) => any, RegExp][] = [
    ["a kind", (client) => client.getFindings(1, long), quoted],
    ["a key", (client) => client.getFindings(2n ** 1_000_000n, "topics"), /beyond 64 bits/],
    ["an unknown option", get({ [long]: 1 }), /x{100}…"/],
    [
      "a value of a header",
      get({ headers: { authorization: `${long}\nx` } }),
      /^TypeError: headers .+ "authorization"/,
    ],
    ["a header and a cause", get({ headers: { a: long }, fetch: () => Promise.reject(long), retries: 0 }), /^network$/],
    // Firefox takes no address of this length. The module keeps a copy.
    ["a base URL", get({ baseUrl: `https://a.test/${long}` }), /^memory$|^TypeError: baseUrl .+; got "https:.+x…"$/],
    ["a Retry-After", get({ fetch: late, retries: 0 }), /^http$/],
    ["a number of partitions", get({ readCounts: () => ({ topics: { partitions: long } }) }), /^decode$/],
    ["a name of a column", ask((table) => table.column(long)), /^memory$/],
    ["very many names of columns", ask((table) => table.countBy(Array(100_000).fill("Comment"))), /^memory$/],
    ["a text of a filter", ask((table) => table.filter({ Comment: long })), /^memory$/],
    ["a contained text", ask((table) => table.filter({ Comment: { contains: long } })), /^memory$/],
  ];

  test.for(lengthy)("20 MiB of %s are an error or succeed", async ([, call, word]) => {
    const { manual } = await start(room);
    const client = new manual.FindingsClient({ fetch: few });
    const kept = await client.loadTable(1, "topics");
    expect(await wordFor(() => call(client))).toMatch(word);
    // A module that had stopped would have lost it.
    expect(kept.length).toBe(10);
    expect(await client.getFindings(1, "topics")).toEqual(findings(10));
  });

  test("what the caller passes is used or is a memory error, however little memory is left", async () => {
    const { manual, leak, giveBack } = await start(room);
    const client = new manual.FindingsClient({ fetch: few });
    const kept: any = await client.loadTable(1, "topics");
    const text = "x".repeat(100_000);
    const key = (number: number) => `${number}${"k".repeat(70_000)}`;
    const wide = await manual.FindingsTable.from([
      Object.fromEntries([0, 1, 2].map((number) => [key(number), number])),
    ]);
    const columns = ["Comment", text];
    const length = (table: any) => [table.length, table.free()][0];
    /** The uses, each with its result */
    const used: Record<string, [() => unknown, unknown]> = {
      from: [async () => length(await manual.FindingsTable.from([{ a: text }])), 1],
      with: [() => length(kept.with("New", { by: "RespondentId", values: { r: text } })), 10],
      select: [() => kept.select("Comment", text), expect.stringMatching(/^RangeError/)],
      "the option columns": [async () => (await client.getFindings(1, "topics", { columns })).length, 10],
      "the option columns of a stream": [
        async () => (await Array.fromAsync(client.streamTables(1, "topics", { columns }))).length,
        1,
      ],
      "the option columns of a table": [async () => length(await client.loadTable(1, "topics", { columns })), 10],
      "a name with a lone surrogate": [() => kept.column(`${text}\ud800`), expect.stringMatching(/^RangeError/)],
      "the keys of a finding": [() => Object.keys(wide.at(0) as object).length, 3],
      concat: [() => length(manual.FindingsTable.concat([kept, wide] as any)), 11],
    };
    const size = 8 * 1024;
    const pieces: number[] = [];
    for (let piece = leak(size); piece !== 0; piece = leak(size)) pieces.push(piece);
    // The reserve for what cannot fail.
    for (const piece of pieces.splice(-34)) giveBack(piece, size);
    const [right, refused] = [new Set<string>(), new Set<string>()];
    while (pieces.length > 0 && right.size < Object.keys(used).length) {
      for (const [name, [use, expected]] of Object.entries(used)) {
        if (right.has(name)) continue;
        const outcome = await outcomeOf(use);
        if (outcome === "memory") refused.add(name);
        else {
          expect(outcome, name).toEqual(expected);
          right.add(name);
        }
        // A module that had stopped would have lost it.
        expect(kept.length, name).toBe(10);
      }
      giveBack(pieces.pop() as number, size);
    }
    const names = new Set(Object.keys(used));
    expect([right, refused]).toEqual([names, names]);
  });

  test("a column that the page has no memory to copy is a memory error", async () => {
    const { window, package: manual } = await startManualInRealm();
    const made = Array.from({ length: 3 }, (_, number) => ({ number, text: "x".repeat(20_000 + number) }));
    const table = await manual.FindingsTable.from<any>(made);
    const lists = [window.Int32Array, window.Uint32Array, window.Uint8Array];
    const reads: Record<string, () => unknown> = {
      integers: () => table.column("number"),
      cells: () => table.column("text"),
      groups: () => table.countBy("number"),
    };
    for (const [name, read] of Object.entries(reads)) {
      const isFull = { is: true };
      for (const list of lists) {
        const slice: any = list.prototype.slice;
        const failing = function (this: any, ...bounds: any[]) {
          if (isFull.is) throw new RangeError("Array buffer allocation failed");
          return slice.apply(this, bounds);
        };
        Object.defineProperty(list.prototype, "slice", { value: failing, configurable: true, writable: true });
      }
      expect(read, name).toThrow("out of memory");
      isFull.is = false;
      expect(table.length).toBe(3);
    }
  });

  /** Fills the memory with tables, down to small ones. */
  async function fill(client: any) {
    const full: { free(): void }[] = [];
    for (const count of [2000, 100, 1]) {
      const fetch = fetchOf([findings(count)]);
      let outcome: string;
      do {
        outcome = await wordFor(async () => full.push(await client.loadTable(1, "topics", { fetch })));
        expect(outcome).toMatch(/^(all right|memory)$/);
      } while (outcome !== "memory");
    }
    return full;
  }

  describe("thousands of objects that are kept", () => {
    const partitions = Array.from({ length: 60 }, (_, index) => findings(50, 50 * index));

    /** Makes a view, and reads it. */
    const make = (table: any, number: number) => {
      const view = table.filter({ RespondentKey: { min: 100_000 + number } });
      view.slice(0, 100);
      return view;
    };

    /** A full memory, with one table that is used. */
    async function startFull() {
      const { manual } = await start(8 * 1024 * 1024);
      const client = new manual.FindingsClient({ fetch: few });
      const table = await client.loadTable(1, "topics", { fetch: fetchOf(partitions) });
      return { client, table, full: await fill(client) };
    }

    test("views that are read are refused before the next call would fail", async () => {
      const { client, table, full } = await startFull();
      const kept: any[] = [];
      let outcome = "";
      while (outcome !== "memory" && kept.length < 6000) {
        outcome = await wordFor(() => kept.push(make(table, kept.length % 3000)));
      }
      expect(outcome).toBe("memory");
      const again = [
        ...Object.values(uses).map((use) => () => use(table)),
        () => kept.at(-1)?.at(0),
        () => client.getFindings(1, "topics"),
        () => client.loadTable(1, "topics"),
      ];
      for (const use of [...again, ...again]) {
        expect(await wordFor(use), String(use)).toMatch(/^(all right|memory)$/);
      }
      // A module that had stopped would have lost them.
      expect(table.length).toBe(3000);
      for (const one of [...kept, ...full]) one.free();
      expect(table.toArray()).toEqual(partitions.flat());
      make(table, 7).free();
      expect(await client.getFindings(1, "topics")).toEqual(findings(10));
    });

    test("calls that begin at once are refused before one of them would stop the others", async () => {
      const { client, table, full } = await startFull();
      const calls = Array.from({ length: 1000 }, () => wordFor(() => client.getFindings(1, "topics")));
      for (const outcome of await Promise.all(calls)) expect(outcome).toMatch(/^(all right|memory)$/);
      expect(table.length).toBe(3000);
      for (const one of full) one.free();
      expect(await client.getFindings(1, "topics")).toEqual(findings(10));
    });
  });

  test("every query is right or a memory error, and is right once there is memory again", async () => {
    const { manual } = await start(24 * 1024 * 1024);
    const client = new manual.FindingsClient();
    const distinct = Array.from({ length: 40_000 }, (_, number) => ({ a: `text ${number}`, b: number % 9, c: null }));
    const table: any = await client.loadTable(1, "topics", { fetch: fetchOf([distinct]) });
    const full = await fill(client);
    /** The queries, each with its result */
    const queries: [() => unknown, unknown][] = [
      [() => table.countBy("a").length, 40_000],
      [() => table.summarize(["a"], "b").length, 40_000],
      [() => table.sortBy("a", "desc").at(0).a, "text 9999"],
      [() => table.filter({ a: { contains: "TEXT" } }).length, 40_000],
      [() => table.filter({ a: distinct.map(({ a }) => a) }).length, 40_000],
      [() => table.column("a").length, 40_000],
      [() => table.toArray().length, 40_000],
    ];
    for (const [query, expected] of queries) {
      expect([expected, "memory"], `${query}`).toContain(await outcomeOf(query));
    }
    for (const one of full) one.free();
    for (const [query, expected] of queries) expect(query(), `${query}`).toBe(expected);
  });
});

describe("a call that collects when memory is exhausted", () => {
  const mebi = 1024 * 1024;

  /** A service of that many partitions, of which the first two are whole, and the others get another body. */
  function failing(partitions: number, otherwise: (index: number) => string) {
    const counts = JSON.stringify({ TopicPartitions: partitions, errors: null });
    return async (href: string) => {
      const index = Number(href.match(/\/Topics\/(\d+)$/)?.[1] ?? -1);
      if (index < 0) return responseOf(counts);
      return responseOf(index < 2 ? bodyOf(findings(2, 2 * index)) : otherwise(index));
    };
  }

  const refused = (index: number) =>
    JSON.stringify({ Findings: findings(20, 20 * index), errors: ["no".repeat(10_000)] });

  test.for(["getFindings", "loadTable"])(
    "%s rejects with its partial result after too many responses with findings and errors, and can be resumed",
    async (method) => {
      const { manual } = await start(10 * mebi);
      let isWell = false;
      const ill = failing(2500, refused);
      const well = failing(2500, () => '{"Findings":[]}');
      const client = new manual.FindingsClient({
        fetch: (href: string) => (isWell ? well(href) : ill(href)) as any,
        failurePolicy: "collect",
      });
      const kept = await client.loadTable(1, "topics", { fetch: fetchOf([findings(10)]) });
      const error = await rejectionOf((client as any)[method](1, "topics"));
      expect(error).toMatchObject({ code: "partial", kind: "topics", inspectionKey: 1 });
      const rows = method === "loadTable" ? error.table.toArray() : error.findings;
      expect(rows).toEqual(findings(4));
      const codes = new Set(error.failures.map((failure: any) => failure.error.code));
      expect(codes).toEqual(new Set(["service", "memory"]));
      const indexes = error.failures.map((failure: any) => failure.partitionIndex);
      expect(indexes).toEqual(indexes.toSorted((a: number, b: number) => a - b));
      error.table?.free();
      // A module that had stopped would have lost it.
      expect(kept.toArray()).toEqual(findings(10));
      isWell = true;
      const whole = await error.resume();
      expect(method === "loadTable" ? whole.toArray() : whole).toEqual(findings(4));
    },
  );
});
