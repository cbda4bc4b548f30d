/** Memory: what is not needed any more is given back, and where there is none left, that is an error and nothing else. */

import { FindingsClient, getFindings } from "inspection-findings";
import { afterEach, describe, expect, test } from "vitest";
import { cdp } from "vitest/browser";
import { limited, page } from "./binary.js";
import { pause, rejectionOf } from "./outcome.js";
import { addresses, closeRealms, importSlimInRealm } from "./realm.js";
import { answering, bodyOf, likelyFinding } from "./tables.js";

/** @typedef {import("./realm.js").SlimPackage} SlimPackage */

afterEach(closeRealms);

/**
 * The package in a realm of its own, and the memory of its module.
 * @param {number} [spare] bytes that the memory can grow by; without it, as much as it may
 */
async function start(spare) {
  const { window, package: slim } = await importSlimInRealm();
  /** @type {WebAssembly.Memory | undefined} */
  let memory;
  const { instantiate } = window.WebAssembly;
  window.WebAssembly.instantiate = /** @type {any} */ (
    async (/** @type {any} */ module, /** @type {any} */ imports) => {
      const instance = await instantiate(module, imports);
      memory = /** @type {any} */ (instance).exports.memory;
      return instance;
    }
  );
  const bytes = new Uint8Array(await (await fetch(addresses.wasm)).arrayBuffer());
  await slim.init(spare === undefined ? bytes : limited(bytes, spare));
  return { slim, used: () => /** @type {WebAssembly.Memory} */ (memory).buffer.byteLength };
}

/**
 * @param {number} count
 * @param {number} [from]
 */
function findings(count, from = 0) {
  return Array.from({ length: count }, (_, number) => likelyFinding(from + number));
}

/**
 * What becomes of a promise, or that nothing does.
 * @param {Promise<any>} promise
 */
function outcomeOf(promise) {
  return Promise.race([
    promise.then(
      () => "all right",
      (error) => error.code ?? `${error}`,
    ),
    pause(3000).then(() => "nothing at all"),
  ]);
}

describe("the memory of the module stays what it was", () => {
  test("after 1000 tables, 50 of them large, and their views", async () => {
    const { slim, used } = await start();
    const small = new slim.FindingsClient({ fetch: answering([findings(20), findings(30, 20)]) });
    const large = new slim.FindingsClient({ fetch: answering([findings(4000), findings(4000, 4000)]) });
    const round = async () => {
      for (let number = 0; number < 100; number++) {
        const table = await (number % 20 === 0 ? large : small).loadTable(1, "topics");
        const view = table.filter({ Sentiment: { min: 0 } });
        const sorted = view.sortBy("Comment");
        sorted.countBy("Topic.Text", "TopicGroup");
        sorted.at(-1);
        for (const one of number % 2 === 0 ? [table, view, sorted] : [sorted, view, table]) {
          one.free();
        }
      }
    };
    await round();
    await round();
    const before = used();
    for (let number = 0; number < 8; number++) {
      await round();
    }
    expect(used()).toBe(before);
  }, 30_000);

  test("after findings as arrays, failures of every kind and aborts", async () => {
    const { slim, used } = await start();
    const some = findings(500);
    const half = `${bodyOf(some).slice(0, -60)}`;
    const refused = JSON.stringify({ Findings: some, errors: ["no"] });
    const calls = [
      () => slim.getFindings(1, "topics", { fetch: answering([some, some]) }),
      () => slim.getFindings(1, "topics", { fetch: answering([some, half]) }),
      () => slim.getFindings(1, "topics", { fetch: answering([some, refused]) }),
      () => slim.getFindings(1, "topics", { fetch: answering([some]), maxPartitionBytes: 1000 }),
      () =>
        slim.getFindings(1, "topics", {
          fetch: answering([some]),
          readCounts: () => ({
            topics: { partitions: 1, findings: 7 },
            sentiment: { partitions: 0, findings: 0 },
          }),
        }),
      () => slim.getFindings(1, "topics", { fetch: answering([some, some]), signal: AbortSignal.timeout(1) }),
    ];
    const round = async () => {
      for (let number = 0; number < 20; number++) {
        await Promise.allSettled(calls.map((call) => call()));
      }
    };
    await round();
    await round();
    const before = used();
    for (let number = 0; number < 5; number++) {
      await round();
    }
    expect(used()).toBe(before);
  }, 30_000);
});

describe("the JavaScript heap ends where it began", () => {
  /** Bytes in use once everything has been collected that nobody can reach. */
  async function heap() {
    const session = /** @type {any} */ (cdp());
    for (let time = 0; time < 3; time++) {
      await session.send("HeapProfiler.collectGarbage");
      await pause(20);
    }
    return (await session.send("Runtime.getHeapUsage")).usedSize;
  }

  const some = findings(50);
  const calls = {
    "tables that are freed": async () => {
      using client = new FindingsClient({ fetch: answering([some]) });
      for (let number = 0; number < 100; number++) {
        using table = await client.loadTable(1, "topics");
        using view = table.sortBy("Comment");
        view.toArray();
      }
    },
    "tables that nobody frees": async () => {
      using client = new FindingsClient({ fetch: answering([some]) });
      for (let number = 0; number < 100; number++) {
        (await client.loadTable(1, "topics")).filter({}).at(0);
      }
    },
    "failures that carry findings": async () => {
      const fetch = answering([JSON.stringify({ Findings: some, errors: ["no"] })]);
      for (let number = 0; number < 100; number++) {
        expect((await rejectionOf(getFindings(1, "topics", { fetch }))).findings).toHaveLength(50);
      }
    },
    "findings as arrays": async () => {
      for (let number = 0; number < 100; number++) {
        await getFindings(1, "topics", { fetch: answering([some]) });
      }
    },
  };

  test.for(Object.entries(calls))("after 1000 times: %s", { timeout: 20_000 }, async ([, call]) => {
    await call();
    await call();
    const before = await heap();
    for (let number = 0; number < 10; number++) {
      await call();
    }
    expect((await heap()) - before).toBeLessThan(500_000);
  });
});

describe("where no memory is left", () => {
  const room = 6 * 1024 * 1024;
  const large = answering([`{"Findings":[${" ".repeat(2 * room)}]}`]);
  const many = answering(Array.from({ length: 40 }, (_, partition) => findings(1000, 1000 * partition)));
  const few = answering([findings(10)]);

  /** @type {Record<string, { slow?: boolean, call: (client: any) => Promise<any> }>} */
  const calls = {
    "a body that is too large": { call: (client) => client.getFindings(1, "topics", { fetch: large }) },
    "a partition that is too large": { call: (client) => client.getPartition(1, "topics", 0, { fetch: large }) },
    "a table that is too large": { call: (client) => client.loadTable(1, "topics", { fetch: many }) },
    "too many findings": { call: (client) => client.getFindings(1, "topics", { fetch: many }) },
  };

  test.for(Object.entries(calls))("%s is a memory error, and a smaller call is well", async ([, { call }]) => {
    const { slim } = await start(room);
    const client = new slim.FindingsClient({ fetch: few });
    for (let number = 0; number < 3; number++) {
      expect(await outcomeOf(call(client))).toBe("memory");
      expect(await client.getFindings(1, "topics")).toEqual(findings(10));
    }
    const error = await rejectionOf(call(client));
    expect(error).toBeInstanceOf(slim.FindingsError);
    expect([error.kind, error.inspectionKey]).toEqual(["topics", 1]);
    client.free();
  });

  test("whatever the room is, a call is right or a memory error, and so is every query", async () => {
    const count = 3000;
    const distinct = answering([
      Array.from({ length: count }, (_, number) => ({
        ...likelyFinding(number),
        [`key ${number % 300}`]: number + 0.5,
        list: [number],
      })),
    ]);
    /** @type {Record<string, number>} */
    const outcomes = {};
    for (let spare = 2 * page; spare <= 6 * 1024 * 1024; spare += 192 * 1024) {
      const { slim } = await start(spare);
      const client = new slim.FindingsClient();
      /** @type {any} */
      let table;
      const steps = {
        load: async () => {
          table = await client.loadTable(1, "topics", { fetch: distinct });
        },
        countBy: async () => table?.countBy("RespondentId", "Comment"),
        summarize: async () => table?.summarize(["RespondentId"], "Sentiment"),
        sortBy: async () => table?.sortBy("RespondentId").free(),
        filter: async () => table?.filter({ Comment: { contains: "CAFÉ" } }).free(),
        column: async () => table?.column("Comment"),
        toArray: async () => table?.toArray(),
        getFindings: () => client.getFindings(1, "topics", { fetch: distinct }),
        small: () => client.getFindings(1, "topics", { fetch: answering([[{ a: 1 }]]) }),
      };
      for (const [name, step] of Object.entries(steps)) {
        const outcome = await outcomeOf(step());
        const key = `${name}: ${outcome}`;
        outcomes[key] = (outcomes[key] ?? 0) + 1;
        if (outcome === "nothing at all" || /RuntimeError|unreachable/.test(outcome)) {
          break;
        }
      }
      closeRealms();
    }
    const wrong = Object.entries(outcomes).filter(([key]) => !/: (all right|memory)$/.test(key));
    expect(Object.fromEntries(wrong)).toEqual({});
    expect(outcomes["load: memory"]).toBeGreaterThan(0);
    expect(outcomes["toArray: all right"]).toBeGreaterThan(0);
  }, 60_000);

  test("every query of a table is right or a memory error, and is right once there is room again", async () => {
    const { slim } = await start(24 * 1024 * 1024);
    const client = new slim.FindingsClient();
    const distinct = Array.from({ length: 40_000 }, (_, number) => ({ a: `text ${number}`, b: number % 9, c: null }));
    /** @type {any} */
    const table = await client.loadTable(1, "topics", { fetch: answering([distinct]) });
    /** @type {{ free(): void }[]} */
    const full = [];
    for (const count of [2000, 100, 1]) {
      const fetch = answering([findings(count)]);
      for (let outcome = "all right"; outcome === "all right"; ) {
        outcome = await outcomeOf(client.loadTable(1, "topics", { fetch }).then((one) => full.push(one)));
        expect(outcome).toMatch(/^(all right|memory)$/);
      }
    }
    const queries = {
      countBy: () => table.countBy("a").length,
      "countBy of two": () => table.countBy("a", "b").length,
      summarize: () => table.summarize(["a"], "b").length,
      sortBy: () => table.sortBy("a", "desc").at(0).a,
      filter: () => table.filter({ b: { max: 100 } }).length,
      "filter by text": () => table.filter({ a: { contains: "TEXT" } }).length,
      column: () => table.column("a").length,
      "column of integers": () => table.column("b").length,
      toArray: () => table.toArray().length,
      columns: () => table.columns.length,
      "filter by many": () => table.filter({ a: distinct.map(({ a }) => a) }).length,
    };
    const expected = [40_000, 40_000, 40_000, "text 9999", 40_000, 40_000, 40_000, 40_000, 40_000, 3, 40_000];
    const tried = () =>
      Object.entries(queries).map(([name, query]) => {
        try {
          return [name, query()];
        } catch (error) {
          return [name, /** @type {any} */ (error).code ?? `${error}`];
        }
      });
    for (const [place, [name, outcome]] of tried().entries()) {
      expect([expected[place], "memory"], `${name}: ${outcome}`).toContain(outcome);
    }
    for (const one of full) {
      one.free();
    }
    expect(tried().map(([, outcome]) => outcome)).toEqual(expected);
  }, 30_000);
});
