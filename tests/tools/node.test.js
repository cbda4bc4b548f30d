/** Node: which versions everything here works with. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isEnough, isEnoughToBegin } from "../../tools/node.js";

test("the versions that Vitest supports are enough", () => {
  for (const version of ["v22.12.0", "v22.20.1", "v24.0.0", "v24.21.0", "v26.10.0"]) {
    assert.ok(isEnough(version), version);
  }
});

test("older and odd versions are not", () => {
  for (const version of ["v18.20.0", "v20.20.2", "v22.11.0", "v23.5.0", "v25.1.0"]) {
    assert.ok(!isEnough(version), version);
  }
});

test("Node 20 can begin, and fetch another one", () => {
  assert.ok(isEnoughToBegin("v20.0.0"));
  assert.ok(!isEnoughToBegin("v18.20.0"));
});
