/** The notices of the package: `THIRD-PARTY-NOTICES`, for the third-party code in the module, its glue and the command. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inProgram } from "./bundle.js";
import { capture, Failure, isStarted, log, run, script } from "./command.js";
import { allowed, mit, noticesOf, packageIn, textsIn } from "./licences.js";
import { inRepository } from "./repository.js";

/**
 * @typedef {import("./licences.js").Component} Component
 * @typedef {{ id: string, name: string, version: string, license: string, source: string | null, manifest_path: string }} Crate
 * @typedef {{ id: string, deps: { pkg: string, dep_kinds: { kind: string | null }[] }[] }} Node
 */

export const noticesFile = inRepository("THIRD-PARTY-NOTICES");

const triple = "wasm32-unknown-unknown";

/** The third-party parts of Rust's standard library in the module. */
const inStandardLibrary = ["cfg-if", "dlmalloc", "hashbrown", "rustc-demangle"];

/** The name of the standard library in the notices: each toolchain has its own version. */
export const standardLibrary = "Rust's standard library";

const heading = `The package inspection-findings contains parts of the works below, whose licences ask for these notices.
\`npm run update:notices\` has made this file from the lock files.

`;

/** The crates in the module: all normal dependencies, including macros. */
export function shippedCrates() {
  const { packages, resolve } = metadata("Cargo.toml");
  const nodes = new Map(resolve.nodes.map(({ id, deps }) => [id, deps]));
  // Grows while it is walked.
  const reached = new Set([resolve.root]);
  for (const id of reached) {
    for (const { pkg, dep_kinds } of nodes.get(id) ?? []) {
      if (dep_kinds.some(({ kind }) => kind === null)) reached.add(pkg);
    }
  }
  // A crate of this repository has no source.
  return packages.filter(({ id, source }) => reached.has(id) && source !== null);
}

/** The crate that generates the glue, which contains text of the crate itself. */
export function glueCrate() {
  const { packages } = metadata("tools/wasm-bindgen/Cargo.toml");
  return /** @type {Crate} */ (packages.find(({ name }) => name === "wasm-bindgen-cli-support"));
}

/** The npm packages in the command. */
export function packagesOfProgram() {
  return inProgram.map((name) => packageIn(inRepository("node_modules", name)));
}

/** Asks cargo-about for the licence of each crate. @returns {Promise<Component[]>} */
async function cratesWithTexts() {
  const folder = inRepository("target", "notices");
  const [settings, report] = [join(folder, "about.toml"), join(folder, "about.json")];
  mkdirSync(folder, { recursive: true });
  const accepted = `accepted = ${JSON.stringify(allowed)}\ntargets = ["${triple}"]`;
  const ignored = "ignore-build-dependencies = true\nignore-dev-dependencies = true\nprivate = { ignore = true }";
  writeFileSync(settings, `${accepted}\n${ignored}\n`);
  await run("cargo", ["fetch", "--locked"]);
  // Uses only the crates of the lock file, and sends no requests to other hosts.
  await run(
    "cargo",
    ["about", "generate", "--fail", "--frozen", "--config", settings, "--format", "json", "--output-file", report],
    {
      otherwise:
        "A crate has no licence that is allowed, or cargo-about is missing: see the message above, and CONTRIBUTING.md.",
    },
  );
  /** @type {{ licenses: { id: string, text: string, used_by: { crate: Crate }[] }[] }} */
  const { licenses } = JSON.parse(readFileSync(report, "utf8"));
  return licenses.flatMap(({ id, text, used_by }) =>
    used_by.map(({ crate: { name, version } }) => ({ name: `${name} ${version}`, licence: id, text })),
  );
}

/** @returns {Component[]} */
function glue() {
  const { name, version, manifest_path } = glueCrate();
  const texts = textsIn(dirname(manifest_path));
  const text = texts.find((text) => text.includes("Permission is hereby granted, free of charge")) ?? missing(name);
  return [{ name: `${name} ${version}`, licence: "MIT", text }];
}

/** @returns {Component[]} */
function standardLibraryParts() {
  const documentation = join(capture("rustc", ["--print", "sysroot"]) ?? "", "share", "doc", "rust");
  const copyright = readFileSync(join(documentation, "COPYRIGHT-library.html"), "utf8");
  const unicode = readFileSync(join(documentation, "licenses", "Unicode-3.0.txt"), "utf8");
  const text = mit("The Rust Project Developers (see https://thanks.rust-lang.org)");
  return [
    { name: standardLibrary, licence: "MIT", text },
    ...inStandardLibrary.map((name) => ({
      name: `${name}, in ${standardLibrary}`,
      licence: "MIT",
      text: textOfPart(copyright, name),
    })),
    { name: `Data of Unicode, in ${standardLibrary}`, licence: "Unicode-3.0", text: unicode },
  ];
}

/**
 * The MIT licence of a crate, from the toolchain's list of copyrights.
 * @param {string} copyright
 * @param {string} crate
 */
function textOfPart(copyright, crate) {
  const section = copyright.split("<h3>📦 ").find((text) => text.startsWith(`${crate}-`));
  const text = section?.match(/<code>LICENSE-MIT<\/code><\/summary>\s*<pre>(.*?)<\/pre>/s)?.[1] ?? missing(crate);
  return text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))).replaceAll("&amp;", "&");
}

/**
 * @param {string} name
 * @returns {never}
 */
function missing(name) {
  throw new Failure(`${name} comes without the text of the MIT licence.`);
}

/**
 * @param {string} manifest
 * @returns {{ packages: Crate[], resolve: { root: string, nodes: Node[] } }}
 */
function metadata(manifest) {
  const forModule = ["--locked", "--format-version", "1", "--filter-platform", triple];
  return JSON.parse(capture("cargo", ["metadata", ...forModule, "--manifest-path", manifest]) ?? "");
}

if (isStarted(import.meta.url)) {
  await script(async () => {
    const components = [...(await cratesWithTexts()), ...glue(), ...standardLibraryParts(), ...packagesOfProgram()];
    writeFileSync(noticesFile, heading + noticesOf(components));
    log("THIRD-PARTY-NOTICES is up to date.");
  });
}
