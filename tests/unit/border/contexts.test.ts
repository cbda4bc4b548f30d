/** In whose name the functions of callers run: in the asynchronous context in which each caller made the call. */

import { AsyncLocalStorage } from "node:async_hooks";
import { FindingsClient, FindingsTable } from "inspection-findings";
import { csvOf, xlsxOf } from "inspection-findings/export";
import { createTableView } from "inspection-findings/view";
import { expect, onTestFinished, test } from "vitest";
import { timesOf } from "../../counts.js";
import { type Contexts, checkContexts, checkExports } from "../../install/packaging/common/contexts.js";

// P22
test("each function of a user sees that user's context, and each request has that user's token", async () => {
  for (const contextsOf of [ofStorage, ofZones]) {
    const contexts = contextsOf();
    await checkContexts(FindingsClient, contexts, timesOf(500));
    await checkExports([csvOf, xlsxOf], contexts);
  }
});

test("objects are written where they are passed", async () => {
  const { within, current } = ofZones();
  const passed = { toJSON: () => ({ zone: current() }) };
  const table = await within(1, () => FindingsTable.from([passed]));
  expect(table.column("zone" as never)).toEqual([1]);
});

test("a view whose store fails loads where it was shown", async () => {
  const { within, current } = ofZones();
  // What a function of the caller throws is reported: not to the runner.
  const reporters = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  const reported = new Promise((resolve) => process.once("unhandledRejection", resolve));
  onTestFinished(() => void reporters.map((reporter) => process.on("unhandledRejection", reporter)));
  const view = createTableView();
  const requested = new Promise((resolve) => {
    const client = new FindingsClient({
      baseUrl: "https://service.test/",
      fetch: async () => {
        resolve(current());
        return new Response(null, { status: 404 });
      },
    });
    const load = () => Promise.reject("no bytes");
    within(1, () => view.show(client, 1, "topics", { store: { load } as never }));
  });
  expect(await Promise.all([requested, reported])).toEqual([1, "no bytes"]);
  view.stop();
});

function ofStorage(): Contexts {
  const storage = new AsyncLocalStorage();
  return { within: storage.run.bind(storage) as Contexts["within"], current: () => storage.getStore() };
}

/** Zones: a reaction of `then` runs in the zone that has added it, and a native `await` loses the zone. */
function ofZones(): Contexts {
  let zone: unknown;
  const within: Contexts["within"] = (user, run) => {
    const before = zone;
    zone = user;
    try {
      return run();
    } finally {
      zone = before;
    }
  };
  const kept = (reaction: any) => {
    const own = zone;
    return reaction && ((value: unknown) => within(own as number, () => reaction(value)));
  };
  const { then } = Promise.prototype;
  // biome-ignore lint/suspicious/noThenProperty: zone.js replaces it, too.
  Promise.prototype.then = function (...reactions: any[]) {
    return Reflect.apply(then, this, reactions.map(kept));
  };
  onTestFinished(() => {
    // biome-ignore lint/suspicious/noThenProperty: as before.
    Promise.prototype.then = then;
  });
  return { within, current: () => zone };
}
