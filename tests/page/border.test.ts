/** What crosses between JavaScript and Rust, in a browser: decoded in the page, and in a worker. */

import { test } from "vitest";
import { expectTrueSnapshots } from "../unit/border/snapshots";

test.for([false, true])(
  "each snapshot of a live table has the findings that have arrived, whatever is asked when; worker: %s",
  (worker) => expectTrueSnapshots({ worker }),
);
