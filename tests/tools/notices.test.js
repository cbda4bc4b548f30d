/** The notices: all third-party components are listed with their licences, all of which are allowed. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "vite";
import { capture } from "../../tools/command.js";
import { allowed, componentsIn, isMetBy, noticesOf, packageIn, textsIn } from "../../tools/licences.js";
import { glueCrate, noticesFile, shippedCrates, standardLibrary } from "../../tools/notices.js";
import { inRepository, target } from "../../tools/repository.js";

const outdated = "THIRD-PARTY-NOTICES is not that of the lock files: run `npm run update:notices`.";
const inModule = componentsIn(readFileSync(noticesFile, "utf8"));
const crates = [...shippedCrates(), glueCrate()];

test("lists exactly the crates of the module and its glue, in the versions of the lock files", () => {
  const named = new Set(inModule.map(({ name }) => name).filter((name) => !name.endsWith(standardLibrary)));
  assert.deepEqual([...named].sort(), crates.map(nameOf).sort(), outdated);
});

test("lists Rust's standard library, and the crates in it that allocate memory", () => {
  const names = inModule.map(({ name }) => name);
  for (const name of [standardLibrary, `dlmalloc, in ${standardLibrary}`, `hashbrown, in ${standardLibrary}`]) {
    assert.ok(names.includes(name), name);
  }
});

test("has allowed licences for every crate, as many as the crate requires", () => {
  for (const crate of crates) {
    const licences = inModule.filter(({ name }) => name === nameOf(crate)).map(({ licence }) => licence);
    assert.ok(isMetBy(crate.license ?? "", licences), `${nameOf(crate)}: ${licences} for ${crate.license}`);
    assert.ok(
      licences.every((licence) => allowed.includes(licence)),
      `${nameOf(crate)}: ${licences}`,
    );
  }
});

/** The crates that name the MIT licence without shipping its text. */
const withoutText = ["gloo-net", "gloo-utils"];

test("has the licence text of every crate unchanged", () => {
  for (const crate of crates) {
    const texts = inModule.filter(({ name }) => name === nameOf(crate)).map(({ text }) => plain(text));
    const own = textsIn(crate.folder).map(plain);
    if (withoutText.includes(crate.name)) {
      assert.ok(
        own.length === 0 && texts.every((text) => text.includes("Permission is hereby granted")),
        nameOf(crate),
      );
      continue;
    }
    assert.ok(own.length > 0, `${nameOf(crate)} has licences`);
    assert.ok(
      texts.every((text) => own.includes(text)),
      `${nameOf(crate)}: ${outdated}`,
    );
  }
});

test("is part of the tarball, like the licence of the package itself", () => {
  const [{ files }] = JSON.parse(capture("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"]) ?? "");
  const paths = files.map((/** @type {{ path: string }} */ { path }) => path);
  assert.ok(paths.includes("THIRD-PARTY-NOTICES"), paths.join(" "));
  assert.ok(paths.includes("LICENSE"), paths.join(" "));
});

test("is part of the demo, with every package in its scripts, workers and styles", async () => {
  const files = await builtDemo();
  const notices = componentsIn(String(files.get("THIRD-PARTY-NOTICES")));
  const names = notices.map(({ name }) => name);
  assert.deepEqual(notices.slice(0, inModule.length), inModule);
  const maps = [...files].filter(([name]) => name.endsWith(".map")).map(([, source]) => JSON.parse(String(source)));
  const scripts = new Set(maps.flatMap(({ sources }) => sources).flatMap(packageFoldersIn));
  const styles = new Set(
    [...readFileSync(inRepository("www", "style", "page.css"), "utf8").matchAll(/@import "([^."/][^"/]*)/g)].map(
      ([, name]) => `node_modules/${name}`,
    ),
  );
  assert.ok(scripts.has("node_modules/msw") && styles.has("node_modules/charts.css"), "those of others are found");
  for (const folder of [...scripts, ...styles, "node_modules/vite"]) {
    const { name, version } = JSON.parse(readFileSync(inRepository(folder, "package.json"), "utf8"));
    assert.ok(names.includes(`${name} ${version}`), `${name} ${version} is not among ${names}`);
  }
});

test("an npm package without an allowed licence is rejected", () => {
  const folder = mkdtempSync(join(target, "licences-"));
  const refusal = (/** @type {object} */ manifest) => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "other", version: "1.0.0", ...manifest }));
    return () => packageIn(folder);
  };
  try {
    for (const license of [
      "GPL-3.0-only",
      "MIT AND GPL-3.0-only",
      "SEE LICENSE IN LICENSE",
      undefined,
      { type: "MIT" },
    ]) {
      assert.throws(refusal({ license }), /^Error: The licence of other 1\.0\.0 is not among those that are allowed/);
    }
    assert.throws(refusal({ license: "BSD-3-Clause" }), /^Error: other 1\.0\.0 comes without the text of its licence/);
    writeFileSync(join(folder, "LICENCE.txt"), "Copyright (c) Somebody");
    writeFileSync(join(folder, "NOTICE"), "This product includes software of others");
    assert.deepEqual(refusal({ license: "(GPL-3.0-only OR BSD-3-Clause)" })(), {
      name: "other 1.0.0",
      licence: "(GPL-3.0-only OR BSD-3-Clause)",
      text: "Copyright (c) Somebody\n\nThis product includes software of others",
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("written notices can be parsed, and contain each text once", () => {
  const components = [
    { name: "one 1.0.0", licence: "MIT", text: "Copyright (c) One\n\nPermission" },
    { name: "@its/other 2.0.0", licence: "(MIT OR ISC)", text: "Copyright (c) One\n\nPermission" },
    { name: "third", licence: "ISC", text: "(c) Third (see there)" },
  ];
  const notices = noticesOf(components);
  assert.deepEqual(componentsIn(notices), components);
  assert.equal(notices.split("Copyright (c) One").length, 2);
});

/** @param {{ name: string, version: string }} crate */
function nameOf({ name, version }) {
  return `${name} ${version}`;
}

/** @param {string} text */
function plain(text) {
  return text.replaceAll(/\s+/g, " ").trim();
}

/**
 * The folder of the package that a source is in, below the repository.
 * @param {string} path
 */
function packageFoldersIn(path) {
  return path.match(/\bnode_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/)?.slice(0, 1) ?? [];
}

/**
 * The files of the demo by their names, with source maps: those say for themselves what a script was made of.
 * @returns {Promise<Map<string, string | Uint8Array>>}
 */
async function builtDemo() {
  const configFile = inRepository("www", "vite.config.js");
  const result = await build({ configFile, logLevel: "error", build: { write: false, sourcemap: true } });
  const { output } = /** @type {import("vite").Rolldown.RolldownOutput} */ (result);
  return new Map(output.map((file) => [file.fileName, file.type === "asset" ? file.source : file.code]));
}
