/** In whose name the functions of callers run: in the asynchronous context in which each caller made the call. */

import { AsyncLocalStorage } from "node:async_hooks";
import { FindingsClient } from "inspection-findings";
import { test } from "vitest";
import { timesOf } from "../../counts.js";
import { checkContexts } from "../../install/packaging/common/contexts.js";

// P22
test("each function of a user sees that user's context, and each request has that user's token", async () => {
  const storage = new AsyncLocalStorage<number>();
  const contexts = { within: storage.run.bind(storage), current: () => storage.getStore() };
  await checkContexts(FindingsClient, contexts as never, timesOf(1_000));
});
