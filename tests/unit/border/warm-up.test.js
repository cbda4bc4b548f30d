/** The warm-up: what the first findings would otherwise wait for. */

import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { dist } from "../../../tools/repository.js";

/** What `beginBody` returns for each body: its own address, or 0 for out of memory. */
const addresses = vi.fn((/** @type {number} */ address) => address);

const { instantiate } = WebAssembly;
/** @type {any} */ (WebAssembly).instantiate = async (
  /** @type {WebAssembly.Module} */ module,
  /** @type {any} */ imports,
) => {
  const { exports } = /** @type {any} */ (await instantiate(module, imports));
  return {
    exports: { ...exports, beginBody: (/** @type {number[]} */ ...given) => addresses(exports.beginBody(...given)) },
  };
};

const body = JSON.stringify({ Findings: [{ Comment: "fine" }], errors: null });

/** A client of a copy of the package, and the function that answers its first request. */
async function started() {
  vi.resetModules();
  const { FindingsClient } = await import(join(dist, "inline.js"));
  const { promise, resolve } = Promise.withResolvers();
  const fetch = vi.fn(async () => new Response(body)).mockImplementationOnce(() => /** @type {any} */ (promise));
  addresses.mockClear();
  return {
    client: new FindingsClient({ baseUrl: "https://service.example/", fetch }),
    answer: () => resolve(new Response(body)),
  };
}

test("an invented finding is decoded while the first response is on its way, and none for later calls", async () => {
  const { client, answer } = await started();
  const call = client.getPartition(42, "topics", 0);
  await vi.waitUntil(() => addresses.mock.calls.length > 0);
  answer();
  expect(await call).toEqual([{ Comment: "fine" }]);
  expect(await client.getPartition(42, "topics", 1)).toEqual([{ Comment: "fine" }]);
  expect(addresses).toHaveBeenCalledTimes(1);
});

test("a call does not notice that there is no memory for it", async () => {
  const { client, answer } = await started();
  addresses.mockReturnValueOnce(0);
  const call = client.getPartition(42, "topics", 0);
  await vi.waitUntil(() => addresses.mock.calls.length > 0);
  answer();
  expect(await call).toEqual([{ Comment: "fine" }]);
});
