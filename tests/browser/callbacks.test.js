/** Callbacks: the calls of onProgress, and callbacks that throw, reject, or call the client again. */

import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { allFindings, findingsOf, usualConcurrency } from "./inspection.js";
import { pause, rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";
import { Traffic } from "./traffic.js";

/** @typedef {import("inspection-findings").Progress} Progress */

describe("onProgress", () => {
  test("is called once at 0 and once after each partition, in that order", async () => {
    serve({ partitions: 10, respond: () => pause(Math.random() * 10).then(() => undefined) });
    /** @type {Progress[]} */
    const told = [];
    await getFindings(1, "topics", { onProgress: (progress) => void told.push(progress) });
    expect(told.map(({ partitionsDone }) => partitionsDone)).toEqual(Array.from({ length: 11 }, (_, done) => done));
    expect(told.map(({ findingsDone }) => findingsDone)).toEqual(Array.from({ length: 11 }, (_, done) => 2 * done));
    expect(new Set(told.map(({ partitions, findings, retries }) => [partitions, findings, retries].join()))).toEqual(
      new Set(["10,20,0"]),
    );
    expect(told[0]).toEqual({ partitionsDone: 0, partitions: 10, findingsDone: 0, findings: 20, bytes: 0, retries: 0 });
  });

  test("counts getPartition as one partition", async () => {
    serve();
    const onProgress = vi.fn();
    await getPartition(1, "topics", 2, { onProgress });
    expect(
      onProgress.mock.calls.map(([{ partitionsDone, partitions, findingsDone }]) => [
        partitionsDone,
        partitions,
        findingsDone,
      ]),
    ).toEqual([
      [0, 1, 0],
      [1, 1, 2],
    ]);
  });

  test("is called with `this` undefined and a plain object that nothing else uses", async () => {
    serve({ partitions: 1 });
    /** @type {any[]} */
    const calls = [];
    /** @type {any} */
    const onProgress = /** @this {unknown} */ function (/** @type {any[]} */ ...args) {
      calls.push([this, args.length, Object.getPrototypeOf(args[0])]);
      args[0].partitionsDone = 99;
      Object.freeze(args[0]);
    };
    expect(await getFindings(1, "topics", { onProgress })).toEqual(allFindings(1));
    expect(calls).toEqual(Array(2).fill([undefined, 1, Object.prototype]));
  });

  test("that returns a promise is not awaited", async () => {
    serve();
    expect(await getFindings(1, "topics", { onProgress: () => /** @type {any} */ (new Promise(() => {})) })).toEqual(
      allFindings(3),
    );
  });
});

/** @type {[string, unknown][]} */
const values = [
  ["an Error", new RangeError("mine")],
  ["text", "enough"],
  ["undefined", undefined],
  ["null", null],
  ["an object", { enough: true }],
];

describe.for(values)("%s", ([, value]) => {
  const throwing = () => {
    throw value;
  };

  test("that onProgress throws at the start ends the call as it is", async () => {
    serve();
    expect(await rejectionOf(getFindings(1, "topics", { onProgress: throwing }))).toBe(value);
    expect(asked).toHaveLength(1);
  });

  test("that onProgress throws in the middle ends the call as it is and cancels its requests", async () => {
    const traffic = new Traffic();
    serve({ partitions: 30, respond: ({ index }) => pause(index % 5).then(() => undefined) });
    const onProgress = (/** @type {Progress} */ { partitionsDone }) => partitionsDone === 5 && throwing();
    expect(await rejectionOf(getFindings(1, "topics", { onProgress, fetch: traffic.fetch }))).toBe(value);
    expect(traffic.open).toBe(0);
    const requests = traffic.trips.length;
    // The counts, five partitions and those requested with them or while they were decoded.
    expect(requests).toBeLessThanOrEqual(1 + 5 + 2 * usualConcurrency);
    await pause(30);
    expect(traffic.trips).toHaveLength(requests);
  });

  test("that onProgress rejects with ends the call as it is", async () => {
    const traffic = new Traffic();
    serve({ partitions: 30, respond: () => pause(20).then(() => undefined) });
    const onProgress = async (/** @type {Progress} */ { partitionsDone }) => {
      await pause(1);
      if (partitionsDone === 2) {
        throw value;
      }
    };
    expect(await rejectionOf(getFindings(1, "topics", { onProgress, fetch: traffic.fetch }))).toBe(value);
    expect(traffic.open).toBe(0);
    expect(traffic.trips.length).toBeLessThan(30);
  });

  test("that onProgress rejects with after the end has no effect", async () => {
    serve();
    const onProgress = (/** @type {Progress} */ { partitionsDone }) =>
      /** @type {any} */ (partitionsDone === 3 && pause(40).then(throwing));
    expect(await getFindings(1, "topics", { onProgress })).toEqual(allFindings(3));
    await pause(60);
  });

  test("that readCounts throws ends the call as it is", async () => {
    serve();
    expect(await rejectionOf(getFindings(1, "topics", { readCounts: throwing }))).toBe(value);
    expect(await rejectionOf(getPartitionCounts(1, { readCounts: throwing }))).toBe(value);
    expect(asked).toHaveLength(2);
  });
});

describe("a callback that calls the client again gets its result:", () => {
  test("onProgress", async () => {
    serve({ partitions: 4 });
    const client = new FindingsClient({ concurrency: 1 });
    /** @type {Promise<unknown>[]} */
    const more = [];
    const onProgress = (/** @type {Progress} */ { partitionsDone }) =>
      void more.push(client.getPartition(2, "sentiment", partitionsDone % 4));
    expect(await client.getFindings(1, "topics", { onProgress })).toEqual(allFindings(4));
    expect(await Promise.all(more)).toEqual([0, 1, 2, 3, 0].map(findingsOf));
    client.free();
  });

  test("readCounts", async () => {
    serve({ partitions: 2 });
    const client = new FindingsClient({ concurrency: 1 });
    /** @type {Promise<unknown>[]} */
    const more = [];
    const readCounts = () => {
      more.push(client.getFindings(2, "sentiment"));
      return { topics: { partitions: 2, findings: 4 } };
    };
    expect(await client.getFindings(1, "topics", { readCounts })).toEqual(allFindings(2));
    expect(await Promise.all(more)).toEqual([allFindings(2)]);
    client.free();
  });

  test("a listener on the signal", async () => {
    serve({ partitions: 2, respond: () => pause(20).then(() => undefined) });
    const client = new FindingsClient();
    const controller = new AbortController();
    const more = new Promise((resolve) => {
      controller.signal.addEventListener("abort", () => resolve(client.getFindings(2, "topics")));
    });
    const call = rejectionOf(client.getFindings(1, "topics", { signal: controller.signal }));
    await pause(10);
    controller.abort("again");
    expect(await call).toBe("again");
    expect(await more).toEqual(allFindings(2));
    client.free();
  });
});

describe.for(/** @type {const} */ (["onProgress", "readCounts", "headers"]))("%s", (name) => {
  /**
   * Options whose callback of that name does this, not before the first partition has come where it is asked more than once.
   * @param {() => void} act
   */
  function optionsThat(act) {
    const all = {
      onProgress: (/** @type {Progress} */ { partitionsDone }) => partitionsDone === 1 && act(),
      readCounts: () => {
        act();
        return { topics: { partitions: 20 } };
      },
      headers: () => {
        if (asked.length > 0) {
          act();
        }
        return {};
      },
    };
    return /** @type {import("inspection-findings").Options} */ ({ [name]: all[name] });
  }

  test("may abort its own call, after which no request starts", async () => {
    serve({ partitions: 20 });
    const traffic = new Traffic();
    const controller = new AbortController();
    let requests = 0;
    const options = optionsThat(() => {
      controller.abort("enough");
      requests ||= traffic.trips.length;
    });
    expect(
      await rejectionOf(getFindings(1, "topics", { ...options, signal: controller.signal, fetch: traffic.fetch })),
    ).toBe("enough");
    await pause(20);
    expect(traffic.open).toBe(0);
    expect(traffic.trips).toHaveLength(requests);
  });

  test("may free its own client, after which no request starts", async () => {
    serve({ partitions: 20 });
    const traffic = new Traffic();
    const client = new FindingsClient({ fetch: traffic.fetch });
    let requests = 0;
    const options = optionsThat(() => {
      client.free();
      requests ||= traffic.trips.length;
    });
    expect(await rejectionOf(client.getFindings(1, "topics", options))).toBeInstanceOf(TypeError);
    await pause(20);
    expect(traffic.open).toBe(0);
    expect(traffic.trips).toHaveLength(requests);
  });
});
