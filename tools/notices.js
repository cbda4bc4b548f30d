/** The notices of the package: `THIRD-PARTY-NOTICES`, for the third-party code in the module and its glue. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureCargoTool } from "./cargo-tool.js";
import { capture, Failure, isStarted, log, run, script } from "./command.js";
import { allowed, mit, noticesOf, textsIn } from "./licences.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";

/**
 * @typedef {import("./licences.js").Component} Component
 * @typedef {{ name: string, version: string, license: string | null, folder: string }} Crate
 */

export const noticesFile = inRepository("THIRD-PARTY-NOTICES");

/** The tool that finds the licence of each crate, and rejects those that are not allowed. */
const tool = { name: "cargo-about", version: "0.9.3", features: "cli" };

const triple = "wasm32-unknown-unknown";

/** The third-party parts of Rust's standard library in the module. */
const inStandardLibrary = ["cfg-if", "dlmalloc", "hashbrown", "rustc-demangle"];

/** The name of the standard library in the notices: each toolchain has its own version. */
export const standardLibrary = "Rust's standard library";

const heading = `The package inspection-findings contains parts of the works below, whose licences ask for these notices.
\`npm run update:notices\` has made this file from the lock files.

`;

/** Writes the file. */
async function updateNotices() {
  const components = [...(await cratesWithTexts()), ...glue(), ...standardLibraryParts()];
  writeFileSync(noticesFile, heading + noticesOf(components));
}

/**
 * The crates in the module: all normal dependencies, including macros.
 * @returns {Crate[]}
 */
export function shippedCrates() {
  const { packages, resolve } = metadata("Cargo.toml");
  /** @type {Map<string, string[]>} */
  const dependencies = new Map(
    resolve.nodes.map((/** @type {any} */ { id, deps }) => [
      id,
      deps.filter(isNormal).map((/** @type {any} */ { pkg }) => pkg),
    ]),
  );
  /** @type {Set<string>} */
  const reached = new Set();
  const waiting = [resolve.root];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (!reached.has(id)) {
      reached.add(id);
      waiting.push(...(dependencies.get(id) ?? []));
    }
  }
  // A crate of this repository has no source.
  return packages.filter((/** @type {any} */ { id, source }) => reached.has(id) && source !== null).map(crate);
}

/** The crate that generates the glue, which contains text of the crate itself. */
export function glueCrate() {
  const { packages } = metadata("tools/wasm-bindgen/Cargo.toml");
  return crate(packages.find((/** @type {any} */ { name }) => name === "wasm-bindgen-cli-support"));
}

/** @returns {Promise<Component[]>} */
async function cratesWithTexts() {
  const folder = inRepository("target", "notices");
  const [settings, report] = [join(folder, "about.toml"), join(folder, "about.json")];
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    settings,
    `accepted = ${JSON.stringify(allowed)}
targets = ["${triple}"]
ignore-build-dependencies = true
ignore-dev-dependencies = true
private = { ignore = true }
`,
  );
  const program = await ensureCargoTool(tool);
  await run("cargo", ["fetch", "--locked"]);
  // Uses only the crates of the lock file, and sends no requests to other hosts.
  await run(
    program,
    ["generate", "--fail", "--frozen", "--config", settings, "--format", "json", "--output-file", report],
    { otherwise: "A crate has no licence that is allowed, or none that can be found: see the message above." },
  );
  const { licenses } = JSON.parse(readFileSync(report, "utf8"));
  return licenses.flatMap((/** @type {any} */ { id, text, used_by }) =>
    used_by.map((/** @type {any} */ { crate: { name, version } }) => ({
      name: `${name} ${version}`,
      licence: id,
      text,
    })),
  );
}

/** @returns {Component[]} */
function glue() {
  const { name, version, folder } = glueCrate();
  const text = textsIn(folder).find((text) => text.includes("Permission is hereby granted, free of charge"));
  if (text === undefined) {
    throw new Failure(`${name} comes without the text of the MIT licence.`);
  }
  return [{ name: `${name} ${version}`, licence: "MIT", text }];
}

/** @returns {Component[]} */
function standardLibraryParts() {
  const documentation = join(capture("rustc", ["--print", "sysroot"]) ?? "", "share", "doc", "rust");
  const copyright = readFileSync(join(documentation, "COPYRIGHT-library.html"), "utf8");
  const parts = inStandardLibrary.map((name) => ({
    name: `${name}, in ${standardLibrary}`,
    licence: "MIT",
    text: textOfPart(copyright, name),
  }));
  const unicode = readFileSync(join(documentation, "licenses", "Unicode-3.0.txt"), "utf8");
  return [
    {
      name: standardLibrary,
      licence: "MIT",
      text: mit("The Rust Project Developers (see https://thanks.rust-lang.org)"),
    },
    ...parts,
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
  const text = section?.match(/<code>LICENSE-MIT<\/code><\/summary>\s*<pre>(.*?)<\/pre>/s)?.[1];
  if (text === undefined) {
    throw new Failure(`${crate} is not in the copyright notices of Rust's standard library.`);
  }
  return text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))).replaceAll("&amp;", "&");
}

/** @param {string} manifest */
function metadata(manifest) {
  const forModule = ["--locked", "--format-version", "1", "--filter-platform", triple];
  const told = capture("cargo", ["metadata", ...forModule, "--manifest-path", manifest]);
  if (told === undefined) {
    throw new Failure(`\`cargo metadata\` failed for ${manifest}.`);
  }
  return JSON.parse(told);
}

/** @param {any} dependency */
function isNormal({ dep_kinds }) {
  return dep_kinds.some((/** @type {any} */ { kind }) => kind === null);
}

/**
 * @param {any} found package in the output of `cargo metadata`
 * @returns {Crate}
 */
function crate({ name, version, license, manifest_path }) {
  return { name, version, license, folder: dirname(manifest_path) };
}

if (isStarted(import.meta.url)) {
  await script(async () => {
    await setUp();
    await updateNotices();
    log("THIRD-PARTY-NOTICES is up to date.");
  });
}
