/** The notices of the package: `THIRD-PARTY-NOTICES`, for whatever of others is in the module and its glue. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { haveCargoTool } from "./cargo-tool.js";
import { answer, Failure, isStarted, run, say, script } from "./command.js";
import { allowed, mit, noticesOf, textsIn } from "./licences.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";

/**
 * @typedef {import("./licences.js").Component} Component
 * @typedef {{ name: string, version: string, license: string | null, folder: string }} Crate
 */

export const noticesFile = inRepository("THIRD-PARTY-NOTICES");

/** The tool that finds the licence of each crate, and refuses those that are not allowed. */
const tool = { name: "cargo-about", version: "0.9.3" };

const triple = "wasm32-unknown-unknown";

/** What Rust's standard library is made of in the module, beside what is the library's own. */
const inStandardLibrary = ["cfg-if", "dlmalloc", "hashbrown", "rustc-demangle"];

/** The name that the standard library has in the notices: each toolchain has a version of its own. */
export const standardLibrary = "Rust's standard library";

const heading = `The package inspection-findings contains parts of the works below, whose licences ask for these notices.
\`npm run update:notices\` has made this file from the lock files.

`;

/** Writes the file anew. */
async function updateNotices() {
  const components = [...(await cratesWithTexts()), ...glue(), ...standardLibraryParts()];
  writeFileSync(noticesFile, heading + noticesOf(components));
}

/**
 * The crates that the module is made of: all that are reached by normal dependencies, macros included.
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

/** The crate that writes the glue, which is in part its own text. */
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
  const program = await haveCargoTool(tool);
  await run("cargo", ["fetch", "--locked"]);
  // Nothing but what the lock file names is looked at: no other host is asked for texts.
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
  const documentation = join(answer("rustc", ["--print", "sysroot"]) ?? "", "share", "doc", "rust");
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
 * The MIT licence of a crate as the toolchain's own list of copyrights has it.
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
  const told = answer("cargo", ["metadata", ...forModule, "--manifest-path", manifest]);
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
 * @param {any} found by cargo
 * @returns {Crate}
 */
function crate({ name, version, license, manifest_path }) {
  return { name, version, license, folder: dirname(manifest_path) };
}

if (isStarted(import.meta.url)) {
  await script(async () => {
    await setUp();
    await updateNotices();
    say("THIRD-PARTY-NOTICES is up to date.");
  });
}
