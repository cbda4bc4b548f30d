/** The hooks for React. */

import { type FindingsClient, FindingsTable } from "inspection-findings";
import { openStore } from "inspection-findings/keep";
import { useFindings, useLiveTable, type ViewOptions } from "inspection-findings/react";
import { Activity, createElement, type ReactNode, StrictMode } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { testWith } from "./engine.js";
import { collectGarbage } from "./garbage.js";
import { allFindings, findingsOfAll } from "./inspection.js";
import { quiet, Wire } from "./wire.js";
import { collect, holding, refusing } from "./wires";

interface Properties {
  client: FindingsClient;
  inspectionKey?: string | null;
  options?: ViewOptions & { columns?: string[] };
}

const hooks = { useFindings, useLiveTable };
type Hook = keyof typeof hooks;

/** A component that uses a hook, and keeps what it returns. */
function componentOf(name: Hook) {
  const returned: any[] = [];
  const Component = ({ client, inspectionKey, options }: Properties) => {
    const result = hooks[name](client, inspectionKey, "topics", options);
    returned.push(result);
    return createElement("p", {}, result?.state ?? "nothing");
  };
  return { Component, returned };
}

/** An element in which components are rendered in strict mode, until the test ends. */
function strictRoot() {
  const element = document.createElement("div");
  const root = createRoot(element);
  freeAfterTest({ free: () => root.unmount() });
  const render = (component: ReactNode) => root.render(createElement(StrictMode, {}, component));
  return { element, root, render };
}

/** Mounts a component that uses a hook, in an Activity in strict mode. */
function mount(name: Hook, properties: Properties) {
  const { Component, returned } = componentOf(name);
  const { root, render: show } = strictRoot();
  let mode = "visible";
  const render = (changed: Partial<Properties> = {}) => {
    const component = createElement(Component, { inspectionKey: "1", ...properties, ...changed });
    show(createElement(Activity as any, { mode }, component));
  };
  const setMode = (changed: "hidden" | "visible") => {
    mode = changed;
    render();
  };
  render();
  const reaches = async (state: string) => {
    await vi.waitFor(() => expect(returned.at(-1)?.state).toBe(state));
    return returned.at(-1);
  };
  return { returned, render, setMode, reaches, unmount: () => root.unmount() };
}

/** The findings that a hook has returned. */
function shownBy(result: any) {
  return result?.findings ?? result?.table?.toArray() ?? [];
}

describe.for(Object.keys(hooks) as Hook[])("%s", (name) => {
  test("loads once although strict mode mounts twice, and returns the same object in a render with new options", async () => {
    const wire = holding(3, 2);
    const { render, reaches, returned } = mount(name, { client: clientOf(wire) });
    await vi.waitUntil(() => returned.at(-1)?.progress?.partitionsDone === 2);
    const { length } = returned;
    render({ options: { retries: 0 } });
    await vi.waitUntil(() => returned.length > length);
    expect(returned.at(-1)).toBe(returned[length - 1]);
    wire.release(2);
    expect(shownBy(await reaches("complete"))).toEqual(allFindings(3));
    expect(wire.indexes.toSorted()).toEqual([-1, 0, 1, 2]);
  });

  test("loads again when an Activity shows it again, and never says that loading was aborted", async () => {
    const wire = holding(3, 2);
    const { returned, reaches, setMode } = mount(name, { client: clientOf(wire) });
    await vi.waitUntil(() => returned.at(-1)?.progress?.partitionsDone === 2);
    setMode("hidden");
    await vi.waitUntil(() => wire.cancelled.length > 0);
    setMode("visible");
    await vi.waitUntil(() => wire.indexes.filter((index) => index === 2).length === 2);
    wire.release(2);
    await reaches("complete");
    expect(new Set(returned.map((result) => result?.state))).not.toContain("aborted");
  });

  const unreadable = {
    get columns() {
      throw new TypeError("unreadable");
    },
  };

  test.for([
    ["no client", { client: undefined }, /^client must be a FindingsClient .*; got undefined$/],
    ["true as a store", { options: { store: true } }, /^store must be what openStore\(\) returns; got true$/],
    ["columns that JSON cannot write", { options: { columns: [1n] } }, /^columns/],
    ["columns that throw", { options: unreadable }, /^unreadable$/],
  ] as [string, any, RegExp][])("fails, and does not throw in render, with %s", async ([, wrong, message]) => {
    const wire = new Wire();
    const { returned, render, reaches } = mount(name, { client: clientOf(wire), ...wrong });
    const { error } = await reaches("failed");
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(message);
    for (const control of ["cancel", "resume", "reload"]) returned.at(-1)[control]();
    await quiet();
    expect([returned.at(-1).state, wire.asked]).toEqual(["failed", []]);
    render({ client: clientOf(wire), inspectionKey: "2", options: {} });
    await reaches("complete");
  });

  test("shows nothing of one inspection under the key of another", async () => {
    const wire = new Wire({ holds: ({ inspectionKey, index }) => inspectionKey === "2" && index < 0 });
    const { returned, render, reaches } = mount(name, { client: clientOf(wire) });
    await reaches("complete");
    const { length } = returned;
    render({ inspectionKey: "2" });
    await vi.waitUntil(() => wire.open.length === 1);
    for (const result of returned.slice(length)) expect([result.state, shownBy(result)]).toEqual(["loading", []]);
    wire.release(-1);
    await reaches("complete");
  });

  test("loads once with a list of columns that is new in each render, and again with other columns", async () => {
    const findings = () => [{ a: 1, b: { c: 2, d: 3 } }, {}];
    const wire = new Wire({ partitions: 1, findings, holds: ({ index, count }) => index === 0 && count === 2 });
    const { returned, render, reaches } = mount(name, { client: clientOf(wire), options: { columns: ["a"] } });
    expect(shownBy(await reaches("complete"))).toEqual([{ a: 1 }, {}]);
    render({ options: { columns: ["a"], retries: 0 } });
    await quiet();
    expect([returned.at(-1).state, wire.indexes]).toEqual(["complete", [-1, 0]]);
    const { length } = returned;
    render({ options: { columns: ["a", "b.c"] } });
    await vi.waitUntil(() => wire.open.length === 1);
    expect(returned.slice(length).flatMap(shownBy)).toEqual([]);
    wire.release(0);
    expect(shownBy(await reaches("complete"))).toEqual([{ a: 1, b: { c: 2 } }, {}]);
  });

  test("stops when each render makes a client, and says where to create it", async () => {
    const wire = new Wire();
    let renders = 0;
    let last: any;
    const Component = ({ inspectionKey = "1" }) => {
      renders++;
      last = hooks[name](clientOf(wire), inspectionKey, "topics");
      return createElement("p", {}, last?.state ?? "nothing");
    };
    const { render } = strictRoot();
    render(createElement(Component));
    await vi.waitUntil(() => last?.state === "failed");
    await quiet();
    expect(last.error).toBeInstanceOf(TypeError);
    expect(last.error.message).toMatch(/create the client outside of components, or keep it in state$/);
    expect(renders).toBeLessThan(30);
    const { length } = wire.asked;
    expect(wire.indexes.filter((index) => index === -1).length).toBeLessThanOrEqual(5);
    render(createElement(Component, { inspectionKey: "1" }));
    await quiet();
    expect([last.state, wire.asked.length]).toEqual(["failed", length]);
  });

  test("renders nothing but loading on a server, and is hydrated without a difference", async () => {
    const wire = new Wire({ partitions: 2 });
    const { Component, returned } = componentOf(name);
    const component = createElement(Component, { client: clientOf(wire), inspectionKey: "1" });
    const element = document.createElement("div");
    element.innerHTML = renderToString(component);
    await quiet();
    expect(wire.asked).toEqual([]);
    const onRecoverableError = vi.fn();
    const root = hydrateRoot(element, component, { onRecoverableError });
    freeAfterTest({ free: () => root.unmount() });
    await vi.waitUntil(() => returned.at(-1)?.state === "complete");
    expect(onRecoverableError).not.toHaveBeenCalled();
  });
});

testWith("garbage collection")("useLiveTable leaves all tables to garbage collection", async () => {
  const client = clientOf(new Wire({ partitions: 2 }));
  const tables: WeakRef<any>[] = [];
  const Component = () => {
    const snapshot = useLiveTable(client, 1, "topics");
    if (snapshot.table !== undefined) tables.push(new WeakRef(snapshot.table));
    return snapshot.state;
  };
  let element: any = document.createElement("div");
  let root: any = createRoot(element);
  root.render(createElement(StrictMode, {}, createElement(Component)));
  await vi.waitUntil(() => element.textContent === "complete");
  root.unmount();
  root = element = undefined;
  expect(tables.length).toBeGreaterThan(0);
  await vi.waitUntil(async () => {
    await collectGarbage();
    return tables.every((table) => table.deref() === undefined);
  });
});

describe("useFindings", () => {
  test.for([0, 4096, 20_000])(
    "gives %i findings, built in slices, in the same array for every render",
    async (count) => {
      const findings = Array.from({ length: count }, (_, number) => ({ number }));
      const wire = new Wire({ counts: { TopicPartitions: 1, TopicFindings: count }, findings: () => findings });
      const { reaches, render, returned } = mount("useFindings", { client: clientOf(wire) });
      const complete = await reaches("complete");
      expect(complete.findings).toEqual(findings);
      const { length } = returned;
      render();
      await vi.waitUntil(() => returned.length > length);
      expect(returned.at(-1).findings).toBe(complete.findings);
    },
  );

  test.for([
    ["builds the findings again with resume(), after that has failed", false, 4],
    ["loads again with resume() if the module has stopped while the findings were built", true, 8],
  ] as const)("%s", async ([, hasStopped, requests]) => {
    const fail = () => {
      throw new RangeError("no memory");
    };
    const slice = vi.spyOn(FindingsTable.prototype, "slice").mockImplementationOnce(fail);
    const wire = new Wire();
    const { returned, reaches } = mount("useFindings", { client: clientOf(wire) });
    expect((await reaches("failed")).error).toEqual(new RangeError("no memory"));
    if (hasStopped) vi.spyOn(slice.mock.contexts[0] as FindingsTable, "length", "get").mockImplementation(fail);
    else {
      slice.mockImplementationOnce(fail);
      returned.at(-1).resume();
      await vi.waitUntil(() => slice.mock.results.length === 2);
      await reaches("failed");
    }
    returned.at(-1).resume();
    expect((await reaches("complete")).findings).toEqual(allFindings(3));
    expect(wire.asked.length).toBe(requests);
  });

  test("with a store, loads once, and resumes a partial load that brings nothing new without an error in the page", async () => {
    const store = openStore({ onError: (error) => expect.fail(`${error}`) });
    const { wire } = refusing([1]);
    const { returned, reaches } = mount("useFindings", { client: clientOf(wire), options: { store, ...collect } });
    const { error } = await reaches("partial");
    expect(wire.indexes.toSorted()).toEqual([-1, 0, 1, 2]);
    returned.at(-1).resume();
    await vi.waitUntil(() => returned.at(-1).state === "partial" && returned.at(-1).error !== error);
    await quiet();
    expect(returned.at(-1).findings).toEqual(findingsOfAll([0, 2]));
    await store.clear();
  });

  test("frees the tables that it has loaded", async () => {
    const client = clientOf(new Wire({ partitions: 2 }));
    const watch = vi.spyOn(client, "watchTable");
    await mount("useFindings", { client }).reaches("complete");
    const live: any = watch.mock.results.at(-1)?.value;
    expect([(await live.done).freed, live.getSnapshot().table.freed]).toEqual([true, true]);
  });
});
