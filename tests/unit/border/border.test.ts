/** What crosses between JavaScript and Rust, in Node. */

import { test } from "vitest";
import { expectTrueSnapshots } from "./snapshots";

// P6, P10
test("each snapshot of a live table has the findings that have arrived, whatever is asked when", () =>
  expectTrueSnapshots({ worker: false }));
