/** The recipes of the documentation for TanStack Query and SWR: one call for each inspection, without retries of theirs. */

import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { SWRConfig } from "swr";
import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { freeTables, tableQuery } from "./recipes/table-query.js";
import { useTable } from "./recipes/use-table.js";
import { quiet, refused, Wire } from "./wire.js";

describe("the query for TanStack Query", () => {
  test("loads a table once, and returns that table again", async () => {
    const wire = new Wire({ partitions: 2 });
    const client = clientOf(wire);
    const queryClient = new QueryClient();
    const options = tableQuery(client, 1, "topics");
    const [table, same] = await Promise.all([queryClient.fetchQuery(options), queryClient.fetchQuery(options)]);
    expect(await queryClient.fetchQuery(options)).toBe(table);
    expect(same).toBe(table);
    expect(table.length).toBe(4);
    expect(wire.indexes.toSorted()).toEqual([-1, 0, 1]);
  });

  test("does not repeat a call that has failed", async () => {
    const wire = new Wire({ respond: () => refused(404) });
    const failed = new QueryClient().fetchQuery(tableQuery(clientOf(wire), 1, "topics"));
    await expect(failed).rejects.toMatchObject({ code: "http", status: 404 });
    await quiet();
    expect(wire.indexes).toEqual([-1]);
  });

  test("cancels the requests of a query that is cancelled", async () => {
    const wire = new Wire({ partitions: 2, holds: () => true });
    const queryClient = new QueryClient();
    const options = tableQuery(clientOf(wire), 1, "topics");
    const fetched = queryClient.fetchQuery(options).catch((error) => error);
    await vi.waitUntil(() => wire.open.length > 0);
    await queryClient.cancelQueries({ queryKey: options.queryKey });
    await fetched;
    await quiet();
    expect(wire.open).toEqual([]);
  });

  test("frees a table that leaves the cache", async () => {
    const queryClient = new QueryClient();
    freeAfterTest({ free: freeTables(queryClient) });
    const options = tableQuery(clientOf(new Wire({ partitions: 2 })), 1, "topics");
    const table = await queryClient.fetchQuery(options);
    expect(table.freed).toBe(false);
    queryClient.removeQueries({ queryKey: options.queryKey });
    expect(table.freed).toBe(true);
  });

  test("leaves a table that is shown alone when the cache is cleared", async () => {
    const queryClient = new QueryClient();
    freeAfterTest({ free: freeTables(queryClient) });
    const client = clientOf(new Wire({ partitions: 2 }));
    const [shown, other] = [1, 2].map((inspectionKey) => tableQuery(client, inspectionKey, "topics"));
    const tables = await Promise.all([queryClient.fetchQuery(shown), queryClient.fetchQuery(other)]);
    freeAfterTest(tables[0]);
    const unsubscribe = new QueryObserver(queryClient, shown).subscribe(() => {});
    queryClient.clear();
    expect(tables.map(({ freed }) => freed)).toEqual([false, true]);
    unsubscribe();
  });
});

describe("the hook for SWR", () => {
  /** @param {{ client: import("inspection-findings").FindingsClient }} properties */
  function Shown({ client }) {
    const { data, error } = useTable(client, 1, "topics");
    return createElement("p", {}, error ? String(error) : (data?.length ?? "Loading …"));
  }

  /** @param {Wire} wire */
  function mountTwice(wire) {
    const client = clientOf(wire);
    const element = document.createElement("div");
    const root = createRoot(element);
    freeAfterTest({ free: () => root.unmount() });
    const shown = [1, 2].map((key) => createElement(Shown, { client, key }));
    root.render(createElement(SWRConfig, { value: { provider: () => new Map() } }, shown));
    return element;
  }

  test("loads a table once for two components", async () => {
    const wire = new Wire({ partitions: 2 });
    const element = mountTwice(wire);
    await vi.waitUntil(() => element.textContent === "44");
    expect(wire.indexes.toSorted()).toEqual([-1, 0, 1]);
  });

  test("does not repeat a call that has failed", async () => {
    const wire = new Wire({ respond: () => refused(404) });
    const element = mountTwice(wire);
    await vi.waitUntil(() => element.textContent.includes("FindingsError"));
    await quiet();
    expect(wire.indexes).toEqual([-1]);
  });
});
