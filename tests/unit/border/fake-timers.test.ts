/** Fake timers that a test puts back while a call is in flight: what they have taken never comes, but the next event finds that out. */

import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { dist } from "../../../tools/repository.js";

const { setImmediate } = globalThis;

const findings = [0, 1, 2].map((index) => ({ Comment: `${index}` }));
const bodies = findings.map((finding) => JSON.stringify({ Findings: [finding] }));
const counts = JSON.stringify({ TopicPartitions: bodies.length, TopicFindings: bodies.length });
const bodyOf = (href: string) => bodies[Number(/Topics\/(\d+)$/.exec(href)?.[1])] ?? counts;

/** A client of a fresh copy of the package, whose calls share a `fetch`. */
async function started() {
  vi.resetModules();
  const { FindingsClient } = await import(join(dist, "inline.js"));
  const fetch = vi.fn(async (href: string) => new Response(bodyOf(href)));
  const client = new FindingsClient({ baseUrl: "https://service.example/", fetch, retries: 1 });
  await client.preload();
  return { client, fetch };
}

/** Waits for what needs no time. */
async function turns() {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

afterEach(() => {
  vi.useRealTimers();
});

test("a table is loaded after they have taken a microtask of the executor", async () => {
  const { client, fetch } = await started();
  vi.useFakeTimers({ toFake: ["queueMicrotask"] });
  fetch.mockReturnValueOnce(new Promise(() => {}));
  client.loadTable(1, "topics").catch(() => {});
  await turns();
  vi.useRealTimers();
  expect((await client.loadTable(2, "topics")).toArray()).toEqual(findings);
});

// P36
test.for([0, 100_000])(
  "a call that waits for a retry, and later calls, end in time: after %i fake ms",
  async (passed) => {
    const { client, fetch } = await started();
    vi.useFakeTimers();
    vi.advanceTimersByTime(passed);
    fetch.mockResolvedValueOnce(new Response("", { status: 503 }));
    const retried = client.getPartition(1, "topics", 0);
    await turns();
    vi.useRealTimers();
    const late = client.getPartition(1, "topics", 1, { retries: 0, timeout: 20, fetch: () => new Promise(() => {}) });
    await expect(late).rejects.toMatchObject({ code: "timeout" });
    expect(await retried).toEqual([findings[0]]);
  },
);

test("a live table tells of the next partition", async () => {
  const { client, fetch } = await started();
  const held = bodies.map(() => Promise.withResolvers<void>());
  fetch.mockImplementation(async (href) => {
    await held[Number(/Topics\/(\d+)$/.exec(href)?.[1])]?.promise;
    return new Response(bodyOf(href));
  });
  const live = client.watchTable(1, "topics");
  const onChange = vi.fn();
  live.subscribe(onChange);
  // No frame of theirs may be on its way.
  await new Promise((resolve) => setTimeout(resolve, 50));
  vi.useFakeTimers();
  held[0]?.resolve();
  while (live.getSnapshot().progress.partitionsDone < 1) await turns();
  vi.useRealTimers();
  onChange.mockClear();
  held[1]?.resolve();
  await vi.waitUntil(() => onChange.mock.calls.length > 0);
  expect(live.getSnapshot().state).toBe("loading");
  held[2]?.resolve();
  await live.done;
});

test("a view of findings builds all of them", async () => {
  const { client, fetch } = await started();
  const { createFindingsView } = await import(join(dist, "view.js"));
  const many = Array.from({ length: 10_000 }, () => findings[0]);
  const answer = JSON.stringify({ TopicPartitions: 1, TopicFindings: many.length, Findings: many });
  fetch.mockImplementation(async () => new Response(answer));
  const view = createFindingsView();
  vi.useFakeTimers();
  view.show(client, 1, "topics");
  await vi.waitFor(async () => {
    await turns();
    expect(view.getSnapshot().progress?.findingsDone).toBe(many.length);
  });
  await turns();
  vi.useRealTimers();
  await vi.waitFor(() => expect(view.getSnapshot().findings?.length).toBe(many.length));
});

// P36
test("a call yields to other tasks after a clock that was ahead", async () => {
  const { client } = await started();
  let time = 1e9;
  const ahead = vi.spyOn(performance, "now").mockImplementation(() => (time += 100));
  await client.getFindings(1, "topics");
  ahead.mockRestore();
  const opened = vi.spyOn(globalThis, "MessageChannel");
  await client.getFindings(1, "topics");
  expect(opened).toHaveBeenCalled();
  opened.mockRestore();
});

test("one advance completes a whole fetch of a service that takes its time, although no message comes", async () => {
  const { client, fetch } = await started();
  vi.stubGlobal(
    "MessageChannel",
    class {
      readonly port1 = { close() {} };
      readonly port2 = { close() {}, postMessage() {} };
    },
  );
  vi.useFakeTimers();
  fetch.mockImplementation(async (href) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const pieces = [...bodyOf(href)].map((character) => new TextEncoder().encode(character));
    const pull = async (controller: ReadableStreamDefaultController) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    };
    return new Response(new ReadableStream({ pull }));
  });
  fetch.mockResolvedValueOnce(new Response("", { status: 503 }));
  const loaded = client.getFindings(1, "topics");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await loaded).toEqual(findings);
  expect(vi.getTimerCount()).toBe(0);
  vi.unstubAllGlobals();
});
