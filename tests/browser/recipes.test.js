/** The recipes of the documentation for pages that show a live table. */

import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { flushSync, mount as mountSvelte, unmount as unmountSvelte } from "svelte";
import { describe, expect, test, vi } from "vitest";
import { createApp, createSSRApp, h, shallowRef } from "vue";
import { renderToString as renderVueToString } from "vue/server-renderer";
import { clientOf, freeAfterTest } from "./clients.js";
import { countsOf } from "./inspection.js";
import { reactive } from "./reactive.svelte.js";
import { Dashboard } from "./recipes/dashboard";
import SvelteGroups from "./recipes/Groups.svelte";
import { Groups } from "./recipes/groups";
import VueGroups from "./recipes/TopicGroups.vue";
import { watchTimers } from "./timers.js";
import { quiet, refused, Wire } from "./wire.js";

/** @typedef {import("inspection-findings").FindingsClient} FindingsClient */
/** @typedef {{ client: FindingsClient, inspectionKey: number }} Properties */

/**
 * Mounts the component of a recipe in an element. `change` shows another inspection.
 * @typedef {(element: HTMLElement, properties: Properties) => { change(inspectionKey: number): void, unmount(): void }} Mount
 * @type {Record<string, Mount>}
 */
const frameworks = {
  "React with the hook": (element, properties) => mountReact(Groups, element, properties),
  React: (element, properties) => mountReact(Dashboard, element, properties),
  Vue(element, { client, inspectionKey }) {
    const key = shallowRef(inspectionKey);
    const app = createApp({ render: () => h(VueGroups, { client, inspectionKey: key.value }) });
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

/** The frameworks whose recipes have buttons. */
const withButtons = Object.keys(frameworks).filter((framework) => framework !== "React with the hook");

/**
 * @param {typeof Groups | typeof Dashboard} component
 * @param {HTMLElement} element
 * @param {Properties} properties
 */
function mountReact(component, element, properties) {
  const root = createRoot(element);
  const change = (/** @type {number} */ inspectionKey) =>
    root.render(createElement(StrictMode, {}, createElement(component, { ...properties, inspectionKey })));
  change(properties.inspectionKey);
  return { change, unmount: () => root.unmount() };
}

/**
 * Mounts a component, until it is unmounted or the test has ended.
 * @param {string} framework
 * @param {Wire} wire
 */
function mount(framework, wire) {
  const element = document.createElement("div");
  const { change, unmount } = frameworks[framework](element, { client: clientOf(wire), inspectionKey: 1 });
  let isMounted = true;
  const unmountOnce = () => {
    if (isMounted) unmount();
    isMounted = false;
  };
  freeAfterTest({ free: unmountOnce });
  return { element, change, unmount: unmountOnce };
}

describe.for(Object.keys(frameworks))("the recipe for %s", (framework) => {
  test("shows groups as they arrive, and loads them once", async () => {
    const wire = new Wire({ partitions: 4, findings: groupsOf, holds: ({ index }) => index >= 0 });
    const { element } = mount(framework, wire);
    await shows(element, "Loading …");
    await vi.waitUntil(() => wire.open.length === 4);
    for (const index of [0, 1]) wire.release(index);
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
    expect(textOf(element)).toMatch(
      /^(?:This inspection does not exist|Parts of this inspection could not be loaded)\./,
    );
  });

  test("says that an inspection is empty, not that it is still loading", async () => {
    const wire = new Wire({ counts: countsOf(0) });
    const { element } = mount(framework, wire);
    await shows(element, "No findings");
    expect(wire.indexes).toEqual([-1]);
  });
});

describe.for(withButtons)("the buttons of the recipe for %s", (framework) => {
  test("cancel the loading each time, keep what has arrived, and fetch the rest", async () => {
    const wire = groupedWire();
    const { element } = mount(framework, wire);
    await shows(element, "Price: 4");
    click(element, "Cancel");
    await shows(element, "Stopped. Price: 4");
    expect(wire.open).toEqual([]);
    const { length } = wire.indexes;
    click(element, "Try again");
    await vi.waitUntil(() => wire.open.length === 2 && element.textContent.includes("Cancel"));
    click(element, "Cancel");
    await shows(element, "Stopped. Price: 4");
    expect(wire.open).toEqual([]);
    click(element, "Try again");
    await vi.waitUntil(() => wire.open.length === 2);
    for (const index of [2, 3]) wire.release(index);
    await shows(element, "Price: 8");
    expect(wire.indexes.slice(length).toSorted()).toEqual([-1, -1, 2, 2, 3, 3]);
  });

  test("show a partial result, and complete it", async () => {
    const wire = new Wire({
      partitions: 3,
      findings: groupsOf,
      respond: ({ index, count }) => (index === 1 && count === 1 ? refused(404) : undefined),
    });
    const { element } = mount(framework, wire);
    await shows(element, "Parts of this inspection could not be loaded. Price: 4");
    click(element, "Try again");
    await shows(element, "Price: 6");
  });
});

test("what a server has rendered is hydrated by Vue without a difference", async () => {
  const wire = groupedWire();
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

/** The findings of a partition, all of one group. @param {number} index */
function groupsOf(index) {
  return Array.from({ length: 2 }, (_, row) => ({ StringKey: index * 2 + row, TopicGroup: "Price" }));
}

/** A service whose partitions from the third on are held. */
function groupedWire() {
  return new Wire({ partitions: 4, findings: groupsOf, holds: ({ index }) => index > 1 });
}

/** The text of an element without its buttons. @param {HTMLElement} element */
function textOf(element) {
  const copy = /** @type {HTMLElement} */ (element.cloneNode(true));
  for (const button of copy.querySelectorAll("button")) button.replaceWith(" ");
  return copy.textContent.trim().replaceAll(/\s+/g, " ");
}

/** @param {HTMLElement} element @param {string} name of the button */
function click(element, name) {
  const buttons = [...element.querySelectorAll("button")];
  const button = buttons.find(({ textContent }) => textContent === name);
  expect(button, name).toBeDefined();
  button?.click();
}

/** Waits until an element shows a text. @param {HTMLElement} element @param {string} text */
async function shows(element, text) {
  await vi.waitFor(() => expect(textOf(element)).toBe(text));
}
