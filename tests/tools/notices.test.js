/** The notices: all third-party components are listed with their licences, all of which are allowed. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { allowed, componentsIn, isMetBy, noticesOf, packageIn, textsIn } from "../../tools/licences.js";
import { glueCrate, noticesFile, packagesOfProgram, shippedCrates, standardLibrary } from "../../tools/notices.js";
import { target } from "../../tools/repository.js";

const outdated = "THIRD-PARTY-NOTICES is not that of the lock files: run `npm run update:notices`.";
const inModule = componentsIn(readFileSync(noticesFile, "utf8"));
const crates = [...shippedCrates(), glueCrate()];

test("lists exactly the crates of the module and its glue, and the packages of the command, in the versions of the lock files", () => {
  const named = new Set(inModule.map(({ name }) => name).filter((name) => !name.endsWith(standardLibrary)));
  const packages = packagesOfProgram();
  assert.deepEqual([...named].sort(), [...crates.map(nameOf), ...packages.map(({ name }) => name)].sort(), outdated);
  for (const { name, licence, text } of packages) {
    const found = inModule.find((component) => component.name === name);
    assert.equal(found?.licence, licence, name);
    assert.equal(plain(found?.text ?? ""), plain(text), name);
  }
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
    assert.ok(isMetBy(crate.license, licences), `${nameOf(crate)}: ${licences} for ${crate.license}`);
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
    const own = textsIn(dirname(crate.manifest_path)).map(plain);
    const isText = (/** @type {string} */ text) =>
      withoutText.includes(crate.name) ? text.includes("Permission is hereby granted") : own.includes(text);
    assert.equal(own.length === 0, withoutText.includes(crate.name), nameOf(crate));
    assert.ok(texts.every(isText), `${nameOf(crate)}: ${outdated}`);
  }
});

test("an npm package without an allowed licence is rejected", () => {
  const folder = mkdtempSync(join(target, "licences-"));
  const refusal = (/** @type {object} */ manifest) => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "other", version: "1.0.0", ...manifest }));
    return () => packageIn(folder);
  };
  try {
    const refused = ["GPL-3.0-only", "MIT AND GPL-3.0-only", "SEE LICENSE IN LICENSE", undefined, { type: "MIT" }];
    for (const license of refused) {
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
