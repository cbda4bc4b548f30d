/** The notices: `THIRD-PARTY-NOTICES`, for the third-party code in the module, its glue and the command, and the format of notices. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inProgram } from "./bundle.ts";
import { capture, Failure, isStarted, script } from "./command.js";
import { inRepository } from "./repository.js";

/** A third-party component that is shipped: its name and version, an SPDX expression, and the licence with the names of the copyright holders. */
type Component = { name: string; license: string; text: string };

type Manifest = { name: string; version: string; license?: unknown };
type Crate = Manifest & { manifest_path: string; source: string | null };

export const noticesFile = inRepository("THIRD-PARTY-NOTICES");

/** The allowed licences, which require that their text is shipped, and Apache's also that of a NOTICE file. */
const allowed = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unicode-3.0", "Zlib"];

/** Other components, which have the licence and the copyright holders of a crate in the module. */
const alike = {
  "cfg-if": ["cfg-if", "dlmalloc", "rustc-demangle"].map((name) => `${name}, in Rust's standard library`),
  hashbrown: ["hashbrown, in Rust's standard library"],
  "wasm-bindgen": ["wasm-bindgen-cli-support, in the glue"],
};

const heading = `The package inspection-findings contains parts of the works below, whose licences ask for these notices.
\`npm run update:notices\` has made this file from the lock files.

`;

/** Makes the content of the file from the lock files. */
export function noticesOfPackage() {
  const crates = shippedCrates().map((crate) => componentOf(dirname(crate.manifest_path), crate));
  const others = Object.entries(alike).flatMap(([name, others]) =>
    crates
      .filter((crate) => crate.name.startsWith(`${name} `))
      .flatMap((crate) => others.map((name) => ({ ...crate, name }))),
  );
  const packages = inProgram.map((name) => packageIn(inRepository("node_modules", name)));
  return heading + noticesOf([...crates, ...others, ...standardLibrary(), ...packages]);
}

/** Formats the notices of components, each text once. */
export function noticesOf(components: Component[]) {
  const byText = Map.groupBy(components, ({ text }) => text.replaceAll("\r\n", "\n").trim());
  return [...byText]
    .map(([text, users]) => {
      const names = users.map(({ name, license }) => `${name} (${license})`);
      return `${"-".repeat(100)}\n${names.join("\n")}\n\n${text}\n\n`;
    })
    .join("");
}

/** An installed npm package as a component. */
export function packageIn(folder: string) {
  return componentOf(folder, JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
}

/** The component in a folder. Of several licences to choose from it has the text of MIT, and no licences of what a tool bundles for itself. */
function componentOf(folder: string, manifest: Manifest): Component {
  const name = `${manifest.name} ${manifest.version}`;
  const { license } = manifest;
  if (typeof license !== "string" || !isAllowed(license)) {
    throw new Failure(`The licence of ${name} is not among those that are allowed: ${JSON.stringify(license)}.`);
  }
  const files = readdirSync(folder)
    .sort()
    .filter((file) => /^(?:licen[cs]e|copying|notice)(?:$|[.-])/i.test(file));
  const others = files.includes("LICENSE-MIT") ? /^(?:LICENSE-APACHE|COPYING)$/ : /^$/;
  const texts = files.filter((file) => !others.test(file)).map((file) => readFileSync(join(folder, file), "utf8"));
  const text = texts.map((text) => text.split(/^# Licenses of bundled dependencies$/m)[0].trim()).join("\n\n");
  if (text === "" && !license.split(/ OR |\//).includes("MIT")) {
    throw new Failure(`${name} comes without the text of its licence, ${license}.`);
  }
  return { name, license, text: text || mit(`the authors of ${manifest.name}`) };
}

/** Whether the allowed licences satisfy an SPDX expression, also in the old form of crates, with `/` for `OR`. */
function isAllowed(expression: string) {
  const alternatives = expression.split(" AND ").map((part) => part.replaceAll(/[()]/g, "").split(/ OR |\//));
  return alternatives.every((names) => names.some((name) => allowed.includes(name)));
}

/** The crates in the module: all normal dependencies, including macros. */
function shippedCrates() {
  const triple = "wasm32-unknown-unknown";
  const tree = ["tree", "--locked", "--edges", "normal", "--target", triple, "--prefix", "none", "--format", "{p}"];
  const shipped = capture("cargo", tree)
    ?.split("\n")
    .map((line) => line.split(" ", 2).join(" "));
  const metadata = ["metadata", "--locked", "--format-version", "1", "--filter-platform", triple];
  const { packages }: { packages: Crate[] } = JSON.parse(capture("cargo", metadata) ?? "");
  // A crate of this repository has no source.
  return packages.filter(({ name, version, source }) => source !== null && shipped?.includes(`${name} v${version}`));
}

function standardLibrary(): Component[] {
  const licences = join(capture("rustc", ["--print", "sysroot"]) ?? "", "share", "doc", "rust", "licenses");
  const unicode = readFileSync(join(licences, "Unicode-3.0.txt"), "utf8");
  return [
    { name: "Rust's standard library", license: "MIT", text: mit("The Rust Project Developers") },
    { name: "Data of Unicode, in Rust's standard library", license: "Unicode-3.0", text: unicode },
  ];
}

/** The MIT licence, as this repository has it, of other holders of the copyright, for components without a licence file. */
function mit(holders: string) {
  const text = readFileSync(inRepository("LICENSE"), "utf8");
  return text.replace(/^Copyright .*$/m, `Copyright (c) ${holders}`);
}

if (isStarted(import.meta)) {
  await script(async () => {
    writeFileSync(noticesFile, noticesOfPackage());
    console.log("THIRD-PARTY-NOTICES is up to date.");
  });
}
