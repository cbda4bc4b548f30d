/** The recipes of the guides: components that show findings, query libraries, and libraries for charts and analysis. */

import { QueryClient, QueryObserver } from "@tanstack/react-query";
import type { FindingsClient } from "inspection-findings";
import { type FindingsStore, openStore } from "inspection-findings/keep";
import { createElement, type FunctionComponent, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { flushSync, mount as mountSvelte, unmount as unmountSvelte } from "svelte";
import { describe, expect, test, vi } from "vitest";
import { createApp, createSSRApp, h, shallowRef } from "vue";
import { renderToString as renderVueToString } from "vue/server-renderer";
import { Dashboard } from "www/docs/frameworks.md/dashboard";
import { freeTables } from "www/docs/frameworks.md/free-tables.js";
import SvelteGroups from "www/docs/frameworks.md/Groups.svelte";
import VueGroups from "www/docs/frameworks.md/TopicGroups.vue";
import { tableQuery } from "www/docs/frameworks.md/table-query.js";
import { longList } from "www/docs/tables.md/long-list.js";
import { startService } from "www/docs/testing.md/start-service.js";
import { clientOf, freeAfterTest } from "./clients.js";
import { countsOf } from "./inspection.js";
import { FindingsClient as Client } from "./place.js";
import { reactive } from "./reactive.svelte.js";
import { likelyFindings, tableOf } from "./tables.js";
import { watchTimers } from "./timers.js";
import { takeSaid } from "./trouble.js";
import { type Asked, quiet, refused, Wire } from "./wire.js";
import { collect, holding } from "./wires";

interface Properties {
  client: FindingsClient;
  inspectionKey: number;
  store?: FindingsStore;
}

/** Mounts the component of a recipe in an element. `change` shows another inspection. */
type Mount = (element: HTMLElement, properties: Properties) => { change(inspectionKey: number): void; unmount(): void };

const mountReact =
  (component: FunctionComponent<Properties>): Mount =>
  (element, properties) => {
    const root = createRoot(element);
    const change = (inspectionKey: number) =>
      root.render(createElement(StrictMode, {}, createElement(component, { ...properties, inspectionKey })));
    change(properties.inspectionKey);
    return { change, unmount: () => root.unmount() };
  };

/** The components that show groups, and have buttons. */
const withButtons: Record<string, Mount> = {
  React: mountReact(Dashboard),
  Vue(element, { inspectionKey, ...others }) {
    const key = shallowRef(inspectionKey);
    const app = createApp({ render: () => h(VueGroups, { ...others, inspectionKey: key.value }) });
    app.mount(element);
    return { change: (next) => Object.assign(key, { value: next }), unmount: () => app.unmount() };
  },
  Svelte(element, properties) {
    const props = reactive(properties);
    const component = mountSvelte(SvelteGroups, { target: element, props });
    return {
      change: (inspectionKey) => flushSync(() => Object.assign(props, { inspectionKey })),
      unmount: () => void unmountSvelte(component),
    };
  },
};

/** Shows an inspection by a component, until it is unmounted or the test has ended. */
function show(mount: Mount, wire: Wire, store?: FindingsStore) {
  const element = document.createElement("div");
  const { change, unmount } = mount(element, { client: clientOf(wire), inspectionKey: 1, ...(store && { store }) });
  const once = vi.fn(unmount);
  const unmountOnce = () => void (once.mock.calls.length || once());
  freeAfterTest({ free: unmountOnce });
  return { element, change, unmount: unmountOnce };
}

test.for(Object.entries(withButtons))(
  "the recipe for %s shows groups as they arrive, those of another key too, and ends what nobody shows any more",
  async ([, mount]) => {
    const wire = new Wire({ partitions: 4, findings: groupsOf, holds: ({ index }) => index >= 0 });
    const { element, change, unmount } = show(mount, wire);
    await shows(element, "Loading …");
    // After those of the frameworks.
    const timers = watchTimers();
    await vi.waitUntil(() => wire.open.length === 4);
    for (const index of [0, 1]) wire.release(index);
    await shows(element, "Price: 4");
    change(2);
    await vi.waitUntil(() => wire.cancelled.length === 2);
    await vi.waitUntil(() => wire.open.length === 4);
    expect(new Set(wire.open.map(({ inspectionKey }) => inspectionKey))).toEqual(new Set(["2"]));
    for (const index of [2, 3]) wire.release(index);
    await shows(element, "Price: 4");
    unmount();
    await quiet();
    expect([wire.open, wire.asked.length, timers.size]).toEqual([[], 10, 0]);
  },
);

describe.for(Object.entries(withButtons))("the recipe for %s", ([, mount]) => {
  test.for([
    [
      "an error, and writes it on the console once",
      { respond: ({ index }: Asked) => (index === 1 ? refused(404) : undefined) },
      /^(?:The findings of this inspection cannot be found|Parts of this inspection could not be loaded)\./,
      [expect.stringMatching(/^error: FindingsError: /)],
    ],
    ["that an inspection is empty", { counts: countsOf(0) }, /^No findings$/, []],
  ] as const)("says %s, not that it is still loading", async ([, inspection, text, said]) => {
    const { element } = show(mount, new Wire(inspection));
    await vi.waitFor(() => expect(textOf(element)).toMatch(text));
    await quiet();
    expect(takeSaid()).toEqual(said);
  });
});

describe.for(Object.entries(withButtons))("the recipe for %s", ([, mount]) => {
  test("has buttons that cancel, fetch the rest, and load everything again", async () => {
    const refusals = new Set([3]);
    const wire = new Wire({
      partitions: 4,
      findings: groupsOf,
      holds: ({ index, count }) => index === 2 && count === 1,
      respond: ({ index }) => (refusals.has(index) ? refused(404) : undefined),
    });
    const { element } = show(mount, wire);
    await shows(element, "Price: 4");
    click(element, "Cancel");
    await shows(element, "Stopped. Price: 4");
    expect(wire.open).toEqual([]);
    click(element, "Try again");
    await shows(element, "Parts of this inspection could not be loaded. Price: 6");
    await quiet();
    expect(takeSaid()).toEqual([expect.stringMatching(/^error: FindingsError: .* missing 1 of 4 partitions/)]);
    refusals.clear();
    click(element, "Try again");
    await shows(element, "Price: 8");
    expect(wire.requested.filter((index) => index < 2)).toHaveLength(2);
    const { length } = wire.indexes;
    await vi.waitUntil(() => element.textContent.includes("Reload"));
    click(element, "Reload");
    await vi.waitUntil(() => wire.indexes.length === length + 5);
    await shows(element, "Price: 8");
  });

  test("shows what a store has kept, refreshes it, and requests nothing after it has been unmounted at once", async () => {
    const store = openStore({ onError: (error) => expect.fail(`${error}`) });
    freeAfterTest({ free: () => void store.clear() });
    await store.clear();
    const kept = new Wire({ partitions: 4, findings: groupsOf });
    freeAfterTest(await (await store.load(clientOf(kept), 1, "sentiment", collect)).done);
    expect(await store.list()).toHaveLength(1);
    const wire = new Wire({ partitions: 4, holds: () => true });
    const { element, unmount } = show(mount, wire, store);
    await shows(element, "Price: 8");
    expect(wire.indexes).toEqual([-1]);
    unmount();
    show(mount, wire, store).unmount();
    await quiet();
    expect([wire.open, wire.indexes]).toEqual([[], [-1]]);
  });
});

test("what a server has rendered is hydrated by Vue without a difference", async () => {
  const wire = new Wire({ partitions: 2, findings: groupsOf });
  const properties = { client: clientOf(wire), inspectionKey: 1 };
  const element = document.createElement("div");
  element.innerHTML = await renderVueToString(createSSRApp(VueGroups, properties));
  expect([textOf(element), wire.asked]).toEqual(["Loading …", []]);
  const rendered = element.firstChild;
  const app = createSSRApp(VueGroups, properties);
  app.mount(element);
  freeAfterTest({ free: () => app.unmount() });
  expect(element.firstChild).toBe(rendered);
  // A difference would be on the console, which fails every test.
  await shows(element, "Price: 4");
});

describe("the queries for TanStack Query", () => {
  test("load once for two who ask, and repeat no failed call", async () => {
    const queryClient = new QueryClient();
    const wire = new Wire({ partitions: 2 });
    const options = tableQuery(clientOf(wire), 1, "topics");
    const [table, same] = await Promise.all([1, 2].map(() => queryClient.fetchQuery<any>(options)));
    expect([table.length, same, await queryClient.fetchQuery(options)]).toEqual([4, table, table]);
    expect(wire.indexes.toSorted()).toEqual([-1, 0, 1]);
    const failing = new Wire({ respond: () => refused(404) });
    await expect(queryClient.fetchQuery(tableQuery(clientOf(failing), 2, "topics"))).rejects.toThrow("404");
    expect(failing.indexes).toEqual([-1]);
  });

  test("cancel their requests when nobody shows them any more", async () => {
    const wire = holding(2);
    const observer = new QueryObserver<any>(new QueryClient(), tableQuery(clientOf(wire), 1, "topics") as any);
    freeAfterTest({ free: observer.subscribe(() => {}) });
    await vi.waitUntil(() => wire.open.length === 2);
    observer.destroy();
    await quiet();
    expect(wire.open).toEqual([]);
  });

  test("have tables that are freed when they leave the cache, but one that is shown", async () => {
    const queryClient = new QueryClient();
    freeAfterTest({ free: freeTables(queryClient) });
    const client = clientOf(new Wire({ partitions: 2 }));
    const [shown, other] = [1, 2].map((inspectionKey) => tableQuery(client, inspectionKey, "topics"));
    const tables = await Promise.all([shown, other].map((options) => queryClient.fetchQuery<any>(options)));
    freeAfterTest(tables[0]);
    const unsubscribe = new QueryObserver(queryClient, shown).subscribe(() => {});
    queryClient.clear();
    expect(tables.map(({ freed }) => freed)).toEqual([false, true]);
    unsubscribe();
  });
});

test("the recipe for a long list builds the rows in view, wherever it is scrolled", async () => {
  const table = await tableOf(likelyFindings(5_000));
  const element = document.createElement("div");
  Object.assign(element.style, { height: "320px", overflow: "auto" });
  document.body.append(element);
  freeAfterTest({ free: () => element.remove() });
  const built = vi.spyOn(table, "slice");
  const show = longList(element);
  const rows = () => [...element.querySelectorAll("[role=listitem]")];
  const positions = () => rows().map((row) => Number(row.getAttribute("aria-posinset")));
  const textAt = (index: number) => {
    const { TopicGroup, Comment } = table.at(index) as any;
    return `${TopicGroup ?? "no group"}: ${Comment}`;
  };
  show(table);
  expect(positions()).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
  element.scrollTop = 2_500 * 32;
  await vi.waitUntil(() => positions().includes(2_501));
  expect(rows().map(({ textContent }) => textContent)).toEqual(positions().map((position) => textAt(position - 1)));
  element.scrollTop = element.scrollHeight;
  await vi.waitUntil(() => positions().at(-1) === 5_000);
  const view = element.getBoundingClientRect();
  expect(rows().at(-1)?.getBoundingClientRect().bottom).toBeCloseTo(view.bottom, 0);
  for (const [first = 0, end = 0] of built.mock.calls) expect(end - first).toBeLessThanOrEqual(20);
  const few = table.filter({ TopicGroup: "Group 1" });
  show(few as any);
  await vi.waitUntil(() => rows().at(-1)?.getAttribute("aria-setsize") === String(few.length));
});

test("the recipe for a page with MSW responds to the requests of the package", async () => {
  const url = String(new URL("mockServiceWorker.js", document.baseURI));
  const { service, worker } = await startService({
    serviceWorker: { url },
    onUnhandledFrame: "bypass",
    quiet: true,
  } as any);
  freeAfterTest({ free: () => worker.stop() });
  const client = freeAfterTest(new Client({ baseUrl: service.baseUrl }));
  expect(await client.getFindings(42, "topics")).toEqual(service.findings("topics"));
  expect(service.requests.some(({ status }: { status: number }) => status === 500)).toBe(true);
});

/** The findings of a partition, all of one group. */
function groupsOf(index: number) {
  return Array.from({ length: 2 }, (_, row) => ({ StringKey: index * 2 + row, TopicGroup: "Price" }));
}

/** The text of an element without its buttons. */
function textOf(element: HTMLElement) {
  const copy = element.cloneNode(true) as HTMLElement;
  for (const button of copy.querySelectorAll("button")) button.replaceWith(" ");
  return copy.textContent.trim().replaceAll(/\s+/g, " ");
}

/** Clicks on the button with a name. */
function click(element: HTMLElement, name: string) {
  const buttons = [...element.querySelectorAll("button")];
  const button = buttons.find(({ textContent }) => textContent === name);
  expect(button, name).toBeDefined();
  button?.click();
}

/** Waits until an element shows a text. */
async function shows(element: HTMLElement, text: string) {
  await vi.waitFor(() => expect(textOf(element)).toBe(text));
}
