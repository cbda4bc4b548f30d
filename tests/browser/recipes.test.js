/** The recipes of the documentation for pages that show a live table. */

import { useLiveTable } from "inspection-findings/react";
import { createElement, StrictMode } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { flushSync, mount as mountSvelte, unmount as unmountSvelte } from "svelte";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createApp, createSSRApp, h, shallowRef } from "vue";
import { renderToString as renderVueToString } from "vue/server-renderer";
import { clientOf } from "./clients.js";
import { testWith } from "./engine.js";
import { collectGarbage } from "./garbage.js";
import { countsOf } from "./inspection.js";
import { reactive } from "./reactive.svelte.js";
import SvelteGroups from "./recipes/Groups.svelte";
import { Groups } from "./recipes/groups";
import VueGroups from "./recipes/TopicGroups.vue";
import { watchTimers } from "./timers.js";
import { quiet, refused, Wire } from "./wire.js";

/** @typedef {import("inspection-findings").FindingsClient} FindingsClient */
/** @typedef {{ client: FindingsClient, inspectionKey: number }} Properties */

/**
 * A component by a recipe on the page.
 * @typedef {object} Mounted
 * @property {HTMLElement} element
 * @property {(inspectionKey: number) => void} change shows another inspection
 * @property {() => void} unmount
 */

/** @type {(() => void)[]} */
const cleanups = [];

afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
  vi.restoreAllMocks();
});

/** @type {Record<string, (properties: Properties) => Mounted>} */
const frameworks = {
  React(properties) {
    const element = document.createElement("div");
    const root = createRoot(element);
    const render = (/** @type {Properties} */ given) =>
      root.render(createElement(StrictMode, {}, createElement(Groups, given)));
    render(properties);
    return {
      element,
      change: (inspectionKey) => render({ ...properties, inspectionKey }),
      unmount: () => root.unmount(),
    };
  },
  Vue({ client, inspectionKey }) {
    const element = document.createElement("div");
    const key = shallowRef(inspectionKey);
    const app = createApp({ render: () => h(VueGroups, { client, inspectionKey: key.value }) });
    app.mount(element);
    return {
      element,
      change(next) {
        key.value = next;
      },
      unmount: once(() => app.unmount()),
    };
  },
  Svelte(properties) {
    const element = document.createElement("div");
    const props = reactive(properties);
    const component = mountSvelte(SvelteGroups, { target: element, props });
    return {
      element,
      change(inspectionKey) {
        props.inspectionKey = inspectionKey;
        flushSync();
      },
      unmount: once(() => void unmountSvelte(component)),
    };
  },
};

/**
 * Mounts a component, until the test has ended.
 * @param {string} framework
 * @param {Wire} wire
 */
function mount(framework, wire) {
  const mounted = frameworks[framework]({ client: clientOf(wire), inspectionKey: 1 });
  cleanups.push(mounted.unmount);
  return mounted;
}

describe.for(Object.keys(frameworks))("the recipe for %s", (framework) => {
  test("shows groups as they arrive, and loads them once", async () => {
    const wire = groupedWire();
    const { element } = mount(framework, wire);
    await shows(element, "Loading …");
    await shows(element, "Price: 4");
    for (const index of [2, 3]) wire.release(index);
    await shows(element, "Price: 8");
    expect(wire.indexes.toSorted()).toEqual([-1, 0, 1, 2, 3]);
  });

  test("ends the loading when the component is unmounted, and leaves nothing behind", async () => {
    const timers = watchTimers();
    const wire = groupedWire();
    const { element, unmount } = mount(framework, wire);
    await shows(element, "Price: 4");
    expect(wire.open).not.toEqual([]);
    unmount();
    await quiet();
    expect(wire.open).toEqual([]);
    const { length } = wire.asked;
    await quiet();
    expect([wire.asked.length, timers.size]).toEqual([length, 0]);
  });

  test("loads another inspection when the key changes, and ends the loading of the one before", async () => {
    const wire = new Wire({
      partitions: 2,
      findings: groupsOf,
      holds: ({ inspectionKey, index }) => inspectionKey === "1" && index === 1,
    });
    const { element, change } = mount(framework, wire);
    await shows(element, "Price: 2");
    change(2);
    await shows(element, "Price: 4");
    expect(wire.asked.filter(({ inspectionKey }) => inspectionKey === "2")).toHaveLength(3);
    expect(wire.open).toEqual([]);
  });

  test("shows an error, not that it is still loading", async () => {
    const wire = new Wire({ respond: ({ index }) => (index === 1 ? refused(404) : undefined) });
    const { element } = mount(framework, wire);
    await vi.waitUntil(() => element.querySelector("[role=alert]") !== null);
    expect(textOf(element)).toMatch(/^FindingsError: .*404/);
  });

  test("says that an inspection is empty, not that it is still loading", async () => {
    const wire = new Wire({ counts: countsOf(0) });
    const { element } = mount(framework, wire);
    await shows(element, "No findings");
    expect(wire.indexes).toEqual([-1]);
  });
});

describe("what a server has rendered", () => {
  test("is taken over by React without a difference", async () => {
    const wire = groupedWire();
    const client = clientOf(wire);
    const component = createElement(Groups, { client, inspectionKey: 1 });
    const element = document.createElement("div");
    element.innerHTML = renderToString(component);
    expect([textOf(element), wire.asked]).toEqual(["Loading …", []]);
    const onRecoverableError = vi.fn();
    const root = hydrateRoot(element, component, { onRecoverableError });
    cleanups.push(() => root.unmount());
    await shows(element, "Price: 4");
    expect(onRecoverableError).not.toHaveBeenCalled();
  });

  test("is taken over by Vue without a difference", async () => {
    const warn = vi.spyOn(console, "warn");
    const error = vi.spyOn(console, "error");
    const wire = groupedWire();
    const properties = { client: clientOf(wire), inspectionKey: 1 };
    const element = document.createElement("div");
    element.innerHTML = await renderVueToString(createSSRApp(VueGroups, properties));
    expect([textOf(element), wire.asked]).toEqual(["Loading …", []]);
    const rendered = element.firstChild;
    const app = createSSRApp(VueGroups, properties);
    app.mount(element);
    cleanups.push(() => app.unmount());
    expect(element.firstChild).toBe(rendered);
    await shows(element, "Price: 4");
    expect([...warn.mock.calls, ...error.mock.calls]).toEqual([]);
  });
});

describe("the hook for React", () => {
  /**
   * A component by the recipe, which shows how much has been received.
   * @param {Properties & { seen?: (snapshot: any) => void }} properties
   */
  function Shown({ client, inspectionKey, seen }) {
    const snapshot = useLiveTable(client, inspectionKey, "topics");
    seen?.(snapshot);
    const done = snapshot?.progress.partitionsDone ?? "no";
    return createElement("p", {}, `${done} partitions, ${snapshot?.table.length ?? 0} findings, ${snapshot?.state}`);
  }

  /**
   * Renders the component in strict mode.
   * @param {Parameters<typeof Shown>[0]} properties
   */
  function mountShown(properties) {
    const element = document.createElement("div");
    const root = createRoot(element);
    cleanups.push(() => root.unmount());
    root.render(createElement(StrictMode, {}, createElement(Shown, properties)));
    return { element, root };
  }

  test("loads once although strict mode mounts twice, and gives every state", async () => {
    const wire = new Wire({ partitions: 4, holds: ({ index }) => index > 1 });
    const client = clientOf(wire);
    const watch = vi.spyOn(client, "watchTable");
    const { element } = mountShown({ client, inspectionKey: 1 });
    await shows(element, "2 partitions, 4 findings, loading");
    for (const index of [2, 3]) wire.release(index);
    await shows(element, "4 partitions, 8 findings, complete");
    expect(watch).toHaveBeenCalledTimes(2);
    expect(wire.indexes.toSorted()).toEqual([-1, 0, 1, 2, 3]);
  });

  testWith("garbage collection")("leaves all tables to garbage collection", async () => {
    const client = clientOf(new Wire({ partitions: 2 }));
    /** @type {WeakRef<any>[]} */
    const tables = [];
    /** @type {any} */
    let mounted = mountShown({
      client,
      inspectionKey: 1,
      seen: (snapshot) => snapshot && tables.push(new WeakRef(snapshot.table)),
    });
    await vi.waitUntil(() => mounted.element.textContent.endsWith("complete"));
    mounted.root.unmount();
    cleanups.length = 0;
    mounted = undefined;
    expect(tables.length).toBeGreaterThan(0);
    await vi.waitUntil(
      async () => {
        await collectGarbage();
        return tables.every((table) => table.deref() === undefined);
      },
      { timeout: 10_000 },
    );
  });
});

/**
 * The findings of a partition, all of one group.
 * @param {number} index
 */
function groupsOf(index) {
  return Array.from({ length: 2 }, (_, row) => ({ StringKey: index * 2 + row, TopicGroup: "Price" }));
}

/** A service whose partitions from the third on are held. */
function groupedWire() {
  return new Wire({ partitions: 4, findings: groupsOf, holds: ({ index }) => index > 1 });
}

/** @param {HTMLElement} element */
function textOf(element) {
  return element.textContent.trim().replaceAll(/\s+/g, " ");
}

/**
 * Waits until an element shows a text.
 * @param {HTMLElement} element
 * @param {string} text
 */
async function shows(element, text) {
  await vi.waitFor(() => expect(textOf(element)).toBe(text), { interval: 5 });
}

/**
 * A function that does something at its first call only.
 * @param {() => void} work
 */
function once(work) {
  let done = false;
  return () => {
    if (!done) {
      done = true;
      work();
    }
  };
}
