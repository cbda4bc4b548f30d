/** Node: the supported versions, and that only the locked one is fetched. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, afterEach, before, test } from "node:test";
import { fetchNode, isEnough, isEnoughToBegin, packages } from "../../tools/node.js";
import { inRepository } from "../../tools/repository.js";

const ofThisPlatform = packages[`${process.platform}-${process.arch}`];
const locked = JSON.parse(readFileSync(inRepository("tools", "node", "package-lock.json"), "utf8")).packages;

/** @type {string} */
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "node-"));
});

after(() => {
  rmSync(folder, { recursive: true, force: true });
});

afterEach(() => {
  for (const name of ["registry", "cache", "fetch_retries"]) {
    delete process.env[`npm_config_${name}`];
  }
});

test("the versions that Vitest supports are supported", () => {
  for (const version of ["v22.12.0", "v22.20.1", "v24.0.0", "v24.21.0", "v26.10.0"]) {
    assert.ok(isEnough(version), version);
  }
});

test("older and odd versions are not", () => {
  for (const version of ["v18.20.0", "v20.20.2", "v22.11.0", "v23.5.0", "v25.1.0"]) {
    assert.ok(!isEnough(version), version);
  }
});

test("Node 20 can start the scripts, which fetch another one", () => {
  assert.ok(isEnoughToBegin("v20.0.0"));
  assert.ok(!isEnoughToBegin("v18.20.0"));
});

test("Node is locked by hash for every platform, and new enough", () => {
  for (const [platform, name] of Object.entries(packages)) {
    const { version, integrity, os, cpu } = locked[`node_modules/${name}`];
    assert.match(integrity, /^sha512-[\w+/]{86}==$/, name);
    assert.ok(isEnough(version), `${name} ${version}`);
    assert.equal(`${os}-${cpu}`, platform);
  }
});

for (const hash of /** @type {const} */ (["their own", "the locked"])) {
  test(`refuses a Node with other bytes than the locked ones from a registry that gives ${hash} hash for them`, {
    skip: ofThisPlatform === undefined,
  }, async () => {
    const name = /** @type {string} */ (ofThisPlatform);
    const { version, integrity } = locked[`node_modules/${name}`];
    const registry = await serveRegistry(name, version, hash === "the locked" ? integrity : undefined);
    process.env.npm_config_registry = registry.url;
    process.env.npm_config_cache = join(folder, "cache", hash);
    process.env.npm_config_fetch_retries = "0";
    try {
      await assert.rejects(fetchNode(name, join(folder, "fetched")), /^Error: npm has left out /);
      assert.ok(registry.asked.includes(`/${name}`), `the registry was asked for ${registry.asked}`);
      assert.ok(!existsSync(join(folder, "fetched", "node_modules", name)));
    } finally {
      registry.close();
    }
  });
}

/**
 * A registry that has a package of that name and version, with a binary of its own in it.
 * @param {string} name
 * @param {string} version
 * @param {string} [integrity] what it gives as the hash, that of the package if left out
 */
async function serveRegistry(name, version, integrity) {
  const tarball = packed(name, version);
  /** @type {string[]} */
  const asked = [];
  const server = createServer(({ url = "/" }, response) => {
    asked.push(url);
    if (url.endsWith(".tgz")) {
      response.end(tarball.bytes);
      return;
    }
    const dist = { tarball: `${addressOf(server)}${name}.tgz`, integrity: integrity ?? tarball.integrity };
    const versions = { [version]: { name, version, os: [process.platform], cpu: [process.arch], dist } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: addressOf(server), asked, close: () => server.close() };
}

/** @param {import("node:http").Server} server */
function addressOf(server) {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}/`;
}

/**
 * @param {string} name
 * @param {string} version
 */
function packed(name, version) {
  const source = join(folder, "source");
  mkdirSync(join(source, "bin"), { recursive: true });
  writeFileSync(join(source, "package.json"), JSON.stringify({ name, version, bin: { node: "bin/node" } }));
  writeFileSync(join(source, "bin", "node"), "another binary");
  const { stdout } = spawnSync("npm", ["pack", "--json"], {
    cwd: source,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const [{ filename, integrity }] = JSON.parse(stdout);
  return { bytes: readFileSync(join(source, filename)), integrity };
}
