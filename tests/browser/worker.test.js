/** Attempts in a worker: the option `worker`. */

import { FindingsClient } from "inspection-findings";
import { expect, test } from "vitest";
import { freeAfterTest } from "./clients.js";
import { findingsOf } from "./inspection.js";
import { serve } from "./service.js";

test("a worker gets the findings that the page would get", async () => {
  serve({ partitions: 5 });
  const client = new FindingsClient({ worker: true });
  freeAfterTest(client);
  const expected = [0, 1, 2, 3, 4].flatMap((index) => findingsOf(index));
  expect(await client.getFindings(42, "sentiment")).toEqual(expected);
  const table = await client.loadTable(42, "sentiment");
  freeAfterTest(table);
  expect(table.toArray()).toEqual(expected);
});
