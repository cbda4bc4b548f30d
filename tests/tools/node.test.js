/** Node: the supported versions, and the lock of the one that is fetched. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isEnough, packages } from "../../tools/node.js";
import { inRepository } from "../../tools/repository.js";

const locked = JSON.parse(readFileSync(inRepository("tools", "node", "package-lock.json"), "utf8")).packages;

test("the versions that Vitest supports are supported, and older and odd ones are not", () => {
  for (const version of ["v22.12.0", "v22.20.1", "v24.0.0", "v24.21.0", "v26.10.0"])
    assert.ok(isEnough(version), version);
  for (const version of ["v18.20.0", "v20.20.2", "v22.11.0", "v23.5.0", "v25.1.0"])
    assert.ok(!isEnough(version), version);
});

test("Node is locked by hash for every platform, and new enough", () => {
  for (const [platform, name] of Object.entries(packages)) {
    const { version, integrity, os, cpu } = locked[`node_modules/${name}`];
    assert.match(integrity, /^sha512-[\w+/]{86}==$/, name);
    assert.ok(isEnough(version), `${name} ${version}`);
    assert.equal(`${os}-${cpu}`, platform);
  }
});
