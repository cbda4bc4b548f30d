/** What crosses between JavaScript and Rust, in Node. */

import { test } from "vitest";
import { expectTrueGrowth } from "./growth";
import { expectTrueSnapshots } from "./snapshots";

test("each snapshot of a live table has the findings that have arrived, whatever is asked when", () =>
  expectTrueSnapshots({ worker: false }));

test("a table that continues from an earlier one has what its calls may keep and what they must request", () =>
  expectTrueGrowth({ workers: false }));
