/** Memory: nothing leaks, and a lack of memory is an error of code `memory`. */

import type { FindingsClient, LiveTable, Options } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { timesOf } from "../counts.js";
import { limited, page } from "./binary.js";
import { callsOfClient } from "./calls.js";
import { has, testWith } from "./engine.js";
import { collectGarbage } from "./garbage.js";
import { shortName } from "./module-names.js";
import { pause, rejectionOf } from "./outcome.js";
import { type ManualPackage, startManualInRealm } from "./realm.js";
import { bodyOf, fetchOf, likelyFindings as findings, tableOf, uses } from "./tables.js";
import { collect } from "./wires";

/** The bytes of the smallest thing that can be lost, with those that the allocator writes before it. */
const smallest = 16;
const header = 4;

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
  const occupied = () => {
    const before = used();
    const pieces: number[] = [];
    while (used() === before) pieces.push(leak(smallest - header));
    for (const piece of pieces) giveBack(piece, smallest - header);
    return before - (pieces.length - 1) * smallest;
  };
  return { manual: realm.package, used, leak, giveBack, occupied };
}

/** The result of a use, or a word for its error. */
async function outcomeOf(use: () => unknown): Promise<any> {
  try {
    return await use();
  } catch (error: any) {
    return error?.code ?? String(error);
  }
}

/** A word for how a use ends. */
async function wordFor(use: () => unknown) {
  const outcome = await outcomeOf(use);
  return typeof outcome === "string" ? outcome : "all right";
}

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
      return { bytes: occupied(), byteLength, lengths: held.map(({ table }) => table.length) };
    };
    const [none, all] = [await load(false), await load(true)];
    expect(all.lengths).toEqual(Array.from({ length: 41 }, (_, at) => 250 * at));
    expect(none.byteLength).toBeGreaterThan(500_000);
    expect(all.bytes - none.bytes).toBeLessThan(41 * 2500);
  });

  test("by the fields that the option columns leaves out", async () => {
    const { manual, used } = await start();
    /** The memory for findings whose comments differ, and the bytes of their table. */
    const load = async (partitions: number) => {
      const fetch = fetchOf(Array.from({ length: partitions }, (_, index) => findings(2000, 2000 * index)));
      const options = { concurrency: 1, columns: ["TopicGroup", "Sentiment", "Topic.Text"] };
      using table = await new manual.FindingsClient({ fetch }).loadTable(1, "topics", options);
      return { byteLength: table.byteLength, memory: used() };
    };
    const [few, many] = [await load(5), await load(50)];
    expect(many.byteLength - few.byteLength).toBeLessThan(90_000 * 20);
    expect(many.memory - few.memory).toBeLessThan(90_000 * 30);
  });

  test("by a filter of many alternatives", async () => {
    const { manual, used } = await start();
    using table = await new manual.FindingsClient({ fetch: fetchOf([findings(20_000)]) }).loadTable(1, "topics");
    const filter = (count: number) =>
      table.filter(Array.from({ length: count }, (_, Comment) => ({ Comment: `${Comment}` }))).free();
    filter(1);
    const before = used();
    filter(1000);
    expect(used() - before).toBeLessThan(1_000_000);
  });

  const some = findings(500);
  const refused = JSON.stringify({ Findings: some, errors: ["no".repeat(10_000)] });

  /** A fetch for two partitions that acts before it responds with the second. */
  const acting = (act: () => unknown) => async (href: string, init: any) =>
    (/Topics.1$/.test(href) ? act() : undefined) ?? fetchOf([some, some])(href, init);

  /** The call `number` of a package. It may share a client with the others. */
  type Call = (manual: ManualPackage, number: number, shared: FindingsClient) => Promise<unknown>;

  const get =
    (options: Options): Call =>
    (manual) =>
      manual.getFindings(1, "topics", { fetch: fetchOf([some]), retries: 0, ...options });

  const repeated: Record<string, Call> = {
    "every call of a client": async (manual) => {
      using client = new manual.FindingsClient({ fetch: fetchOf([some.slice(0, 50)]) });
      for (const call of Object.values(callsOfClient)) await call(client, 1, "topics", 0);
    },
    "a body that is cut": get({ fetch: fetchOf([some, bodyOf(some).slice(0, -60)]) }),
    "errors of the service": get({ fetch: fetchOf([some, refused]) }),
    "a body that is too large": get({ maxPartitionBytes: 1000 }),
    "a total that is wrong": get({ readCounts: () => ({ topics: { partitions: 1, findings: 7 } }) }),
    "an abort": (manual, number, shared) => {
      const controller = new AbortController();
      const fetch = acting(() => controller.abort());
      return get({ fetch, signal: controller.signal })(manual, number, shared);
    },
    "a stream of tables that is left, with tables that nobody has read": async (manual) => {
      using client = new manual.FindingsClient({ fetch: fetchOf([some, some, some, some]) });
      const stream = client.streamTables(1, "topics");
      (await stream.next()).value?.table.free();
      await pause(1);
      await stream.return?.();
    },
    "a call of a client with another headers function": (_, __, shared) =>
      shared.getPartitionCounts(1, { headers: async () => ({}) }),
    "a table and its views, which are freed in another order than they were made": async (_, number, shared) => {
      const table = await shared.loadTable(1, "sentiment");
      const view = table.filter({ Sentiment: { min: 0 } });
      const sorted = view.sortBy("Comment");
      sorted.countBy("Topic.Text", "TopicGroup");
      sorted.at(-1);
      for (const one of number % 2 === 0 ? [table, view, sorted] : [sorted, view, table]) one.free();
    },
  };

  /** What the error of such a call holds is freed when the error is collected. */
  async function resumed(manual: ManualPackage, number: number) {
    let lacks = true;
    const fetch = acting(() => (lacks ? new Response(null, { status: 404 }) : undefined));
    const error = await rejectionOf(manual.getFindings(1, "topics", { fetch, ...collect }));
    lacks = false;
    expect(await error.resume()).toHaveLength(1000);
    // If much waited for that, gaps would remain.
    if (number % 20 === 19) await collectGarbage();
  }

  /** The plain functions free what they make without the help of the host. */
  async function plain(manual: ManualPackage) {
    const options = { fetch: fetchOf([some]) };
    await manual.getPartitionCounts(1, options);
    await manual.getPartition(1, "topics", 0, options);
    await manual.getFindings(1, "topics", options);
    await manual.getFindings(1, "topics", { ...options, maxPartitionBytes: 1000 });
  }

  /** Enough that the half of what they could lose exceeds what a single call leaves until a later collection: up to 528 bytes. */
  const rounds = Math.max(80, timesOf(200));
  const tolerance = (rounds * smallest) / 2;

  /** How much more memory is occupied after many calls than after a few. */
  async function growth(call: Call, lacking: string[] = []) {
    const { manual, occupied } = await start(undefined, lacking);
    const shared = new manual.FindingsClient({ fetch: fetchOf([some, some]) });
    const occupiedAfter = async (count: number) => {
      for (let number = 0; number < count; number++) {
        await call(manual, number, shared).catch(() => {});
      }
      if (has("garbage collection")) await collectGarbage();
      return occupied();
    };
    const few = await occupiedAfter(20);
    return (await occupiedAfter(rounds)) - few;
  }

  // P16
  test.for<[string, Call, string[]?]>([
    ...Object.entries(repeated),
    ...(has("garbage collection") ? [["a call that is resumed", resumed] as [string, Call]] : []),
    ["plain functions, in a host that finalises nothing", plain, ["FinalizationRegistry"]],
  ])("after many times %s", async ([, call, lacking]) => {
    expect(await growth(call, lacking)).toBeLessThan(tolerance);
  });

  testWith("garbage collection")("by what its own options can reach, has ended or is not used", async () => {
    const { manual } = await start();
    const fetch = fetchOf([findings(5), findings(5)]);
    const failing = async (href: string, init: any) =>
      href.endsWith("/Topics/1") ? Promise.reject(new Error("refused")) : fetch(href, init);
    const living = new manual.FindingsClient({ fetch });
    /** What holds something that options of its call can reach, or what nobody uses any more. */
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
        const readCounts = ({ TopicPartitions: partitions }: any) =>
          holder.held ?? { topics: { partitions }, sentiment: { partitions } };
        holder.held = await new manual.FindingsClient({ fetch, readCounts }).loadTable(1, "topics");
      },
      "a client that is not used": async (holder) => {
        holder.held = new manual.FindingsClient({ fetch });
        await holder.held.preload();
      },
      "what a call that has ended was given, by its client": async (holder) => {
        holder.held = (href: string, init: any) => fetch(href, init);
        await living.getFindings(1, "topics", { fetch: holder.held, onProgress: () => void holder.held });
      },
      "the stream that is left, by its client": async (holder) => {
        holder.held = living.streamPartitions(1, "topics");
        await holder.held.next();
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
});

test("long texts of a query are copied whole", async () => {
  const text = `${"é".repeat(100_000)}😀${"x".repeat(200_000)}`;
  const lone = `${text}\ud800`;
  const table = await tableOf([{ a: text }, { a: lone }, { a: "" }]);
  const found = [text, lone, { contains: text.toUpperCase() }, { contains: "X\ud800" }];
  expect(found.map((a) => table.filter({ a }).length)).toEqual([1, 1, 2, 1]);
});

describe("when memory is exhausted", () => {
  const room = 96 * page;
  const few = fetchOf([findings(10)]);
  const many = fetchOf(Array.from({ length: 40 }, (_, partition) => findings(1000, 1000 * partition)));

  /** A package with a memory of `spare` bytes, its client, and a table, which would be lost if the module stopped. */
  async function startSmall(spare = room) {
    const { manual, ...memory } = await start(spare);
    const client: any = new manual.FindingsClient({ fetch: few });
    return { manual, client, kept: await client.loadTable(1, "topics"), ...memory };
  }

  test("what is too large is a memory error, and a smaller call succeeds", async () => {
    const { manual, client } = await startSmall();
    const large = fetchOf([`{"Findings":[${" ".repeat(2 * room)}]}`]);
    const calls: Record<string, () => Promise<any>> = {
      "a body": () => client.getFindings(1, "topics", { fetch: large }),
      "a partition": () => client.getPartition(1, "topics", 0, { fetch: large }),
      "a table": () => client.loadTable(1, "topics", { fetch: many }),
    };
    for (const [name, call] of [1, 2, 3].flatMap(() => Object.entries(calls))) {
      const error = await rejectionOf(call());
      expect(error, name).toBeInstanceOf(manual.FindingsError);
      expect(error, name).toMatchObject({ code: "memory", kind: "topics", inspectionKey: 1 });
      expect(await client.getFindings(1, "topics"), `after ${name}`).toEqual(findings(10));
    }
  });

  test("the objects of any number of partitions need the memory of one", async () => {
    const { client } = await startSmall();
    expect(await client.getFindings(1, "topics", { fetch: many })).toHaveLength(40_000);
  });

  test("20 MiB that a caller passes are an error or succeed", async () => {
    const { client, kept } = await startSmall();
    const long = "x".repeat(20 * 1024 * 1024);
    const get = (options: any) => () => client.getFindings(1, "topics", options);
    const late = () => ({ status: 500, headers: new Map([["retry-after", long]]), body: null });
    const header = /^TypeError: headers .+ "authorization"/;
    // Firefox takes no address of this length. The module keeps a copy.
    const address = /^memory$|^TypeError: baseUrl .+; got "https:.+x…"$/;
    const lengthy: Record<string, [() => unknown, RegExp]> = {
      "a kind": [() => client.getFindings(1, long), /"x{100}…"/],
      "an unknown option": [get({ [long]: 1 }), /x{100}…"/],
      "a value of a header": [get({ headers: { authorization: `${long}\nx` } }), header],
      "a header and a cause": [
        get({ headers: { a: long }, fetch: () => Promise.reject(long), retries: 0 }),
        /^network$/,
      ],
      "a base URL": [get({ baseUrl: `https://a.test/${long}` }), address],
      "a Retry-After": [get({ fetch: late, retries: 0 }), /^http$/],
      "a number of partitions": [get({ readCounts: () => ({ topics: { partitions: long } }) }), /^decode$/],
      "a name of a column": [() => kept.column(long), /^memory$/],
      "very many names of columns": [() => kept.countBy(Array(100_000).fill("Comment")), /^memory$/],
      "a text of a filter": [() => kept.filter({ Comment: long }), /^memory$/],
      "a contained text": [() => kept.filter({ Comment: { contains: long } }), /^memory$/],
    };
    for (const [name, [use, word]] of Object.entries(lengthy)) {
      expect(await wordFor(use), name).toMatch(word);
      expect(kept.length, name).toBe(10);
      expect(await client.getFindings(1, "topics"), name).toEqual(findings(10));
    }
  });

  // P28
  test("every use is right or a memory error, however little memory is left", async () => {
    const { manual, client, kept, leak, giveBack } = await startSmall();
    const text = "x".repeat(100_000);
    const key = (number: number) => `${number}${"k".repeat(4_000)}`;
    const wide: any = await manual.FindingsTable.from([
      Object.fromEntries(Array.from({ length: 50 }, (_, number) => [key(number), number])),
    ]);
    const count = 3000;
    const distinct = Array.from({ length: count }, (_, number) => ({ a: `text ${number}`, b: number % 9, c: null }));
    const table: any = await client.loadTable(1, "topics", { fetch: fetchOf([distinct]) });
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
      "the keys of a finding": [() => Object.keys(wide.at(0)).length, 50],
      concat: [() => length(manual.FindingsTable.concat([table, table.sortBy("a")])), 2 * count],
      countBy: [() => table.countBy("a").length, count],
      summarize: [() => table.summarize(["a"], "b").length, count],
      sortBy: [() => table.sortBy("a", "desc").at(0).a, "text 999"],
      "a contained text": [() => length(table.filter({ a: { contains: "TEXT" } })), count],
      "a list of texts": [() => length(table.filter({ a: distinct.map(({ a }) => a) })), count],
      toArray: [() => table.toArray().length, count],
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
        expect(kept.length, name).toBe(10);
      }
      giveBack(pieces.pop() as number, size);
    }
    const names = new Set(Object.keys(used));
    expect([names.difference(right), names.difference(refused)]).toEqual([new Set(), new Set()]);
  });

  test("a column that the page has no memory to copy is a memory error", async () => {
    const { window, package: manual } = await startManualInRealm();
    const made = Array.from({ length: 3 }, (_, number) => ({ number, text: "x".repeat(20_000 + number) }));
    const table = await manual.FindingsTable.from<any>(made);
    const reads: Record<string, () => unknown> = {
      integers: () => table.column("number"),
      cells: () => table.column("text"),
      groups: () => table.countBy("number"),
    };
    for (const [name, read] of Object.entries(reads)) {
      let isFull = true;
      for (const { prototype } of [window.Int32Array, window.Uint32Array, window.Uint8Array]) {
        const slice: any = prototype.slice;
        const failing = function (this: any, ...bounds: any[]) {
          if (isFull) throw new RangeError("Array buffer allocation failed");
          return slice.apply(this, bounds);
        };
        Object.defineProperty(prototype, "slice", { value: failing, configurable: true, writable: true });
      }
      expect(read, name).toThrow("out of memory");
      isFull = false;
      expect(table.length).toBe(3);
    }
  });

  /** Fills the memory with tables, down to small ones, beside one that is used. */
  async function startFull() {
    const { client } = await startSmall(8 * 1024 * 1024);
    const partitions = Array.from({ length: 60 }, (_, index) => findings(50, 50 * index));
    const table = await client.loadTable(1, "topics", { fetch: fetchOf(partitions) });
    const full: { free(): void }[] = [];
    for (const count of [2000, 100, 1]) {
      const fetch = fetchOf([findings(count)]);
      while ((await expectedWord(async () => full.push(await client.loadTable(1, "topics", { fetch })))) !== "memory");
    }
    return { client, table, full };
  }

  /** A word for how a use ends, which must be right or a memory error. */
  async function expectedWord(use: () => unknown) {
    const outcome = await wordFor(use);
    expect(outcome, String(use)).toMatch(/^(all right|memory)$/);
    return outcome;
  }

  test("views that are read are refused before the next call would fail", async () => {
    const { client, table, full } = await startFull();
    /** Makes a view, and reads it. */
    const make = (number: number) => {
      const view = table.filter({ RespondentKey: { min: 100_000 + number } });
      view.slice(0, 100);
      return view;
    };
    const kept: any[] = [];
    let outcome = "";
    while (outcome !== "memory" && kept.length < 6000) {
      outcome = await wordFor(() => kept.push(make(kept.length % 3000)));
    }
    expect(outcome).toBe("memory");
    const again = [
      ...Object.values(uses).map((use) => () => use(table)),
      () => kept.at(-1)?.at(0),
      () => client.getFindings(1, "topics"),
      () => client.loadTable(1, "topics"),
    ];
    for (const use of [...again, ...again]) await expectedWord(use);
    expect(table.length).toBe(3000);
    for (const one of [...kept, ...full]) one.free();
    expect(table.toArray()).toEqual(findings(3000));
    make(7).free();
    expect(await client.getFindings(1, "topics")).toEqual(findings(10));
  });

  test("calls that begin at once are refused before one of them would stop the others", async () => {
    const { client, table, full } = await startFull();
    const all = new Set<string>();
    // From no room to room for all: that for 1024 places at once would be more than the reserve.
    for (let words = new Set(["memory"]); words.has("memory"); ) {
      const calls = Array.from({ length: 1100 }, () => expectedWord(() => client.getFindings(1, "topics")));
      words = new Set(await Promise.all(calls));
      for (const word of words) all.add(word);
      expect(table.length).toBe(3000);
      full.shift()?.free();
    }
    expect(all).toEqual(new Set(["memory", "all right"]));
    for (const one of full) one.free();
    expect(await client.getFindings(1, "topics")).toEqual(findings(10));
  });

  test.for(["getFindings", "loadTable"])(
    "%s that collects rejects with its partial result after too many responses with findings and errors, and can be resumed",
    async (method) => {
      const { client, kept } = await startSmall(10 * 1024 * 1024);
      /** A service of many partitions, of which the first two are whole. */
      const service = (others: string) => fetchOf([findings(2), findings(2, 2), ...Array(2498).fill(others)]);
      let respond = service(JSON.stringify({ Findings: findings(20), errors: ["no".repeat(10_000)] }));
      const fetch = (href: string, init: RequestInit) => respond(href, init);
      const error = await rejectionOf(client[method](1, "topics", { fetch, ...collect }));
      expect(error).toMatchObject({ code: "partial", kind: "topics", inspectionKey: 1 });
      const rowsOf = (result: any) => (method === "loadTable" ? result.toArray() : result);
      expect(rowsOf(error.table ?? error.findings)).toEqual(findings(4));
      const codes = new Set(error.failures.map((failure: any) => failure.error.code));
      expect(codes).toEqual(new Set(["service"]));
      const indexes = error.failures.map((failure: any) => failure.partitionIndex);
      expect(indexes).toEqual(indexes.toSorted((a: number, b: number) => a - b));
      error.table?.free();
      expect(kept.toArray()).toEqual(findings(10));
      respond = service('{"Findings":[]}');
      expect(rowsOf(await error.resume())).toEqual(findings(4));
    },
  );
});
