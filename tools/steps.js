/** The steps of the tests: the commands of each, and in which tiers it runs. */

import { readdirSync } from "node:fs";
import process from "node:process";
import { leftOutOfFull } from "../tests/browser/left-out.js";
import { packageCommand } from "./command.js";
import { inOwnNetwork } from "./network.js";
import { inRepository } from "./repository.js";
import { pack } from "./tarball.js";
import { tiers } from "./tiers.js";

/** @typedef {import("./tiers.js").TierName} TierName */

/**
 * @typedef {object} Command
 * @property {string[]} words the program and its parameters
 * @property {Record<string, string>} [env] on top of the tier's
 */

/**
 * @typedef {object} Step
 * @property {string} name by which it is chosen on the command line
 * @property {TierName[]} tiers
 * @property {string[]} [needs] steps without whose success it would prove nothing; they run first, with what they need
 * @property {string} [mutex] what no other step may use at the same time
 * @property {TierName[]} [alone] the tiers in which no other step may run beside it
 * @property {boolean} [usesBrowser] whether it needs a browser
 * @property {boolean} [usesEngines] whether it needs Firefox and WebKit
 * @property {(tier: TierName) => Command[]} commands in their order; the step passes if all of them do. Called when it begins
 */

const forWasm = ["--target", "wasm32-unknown-unknown"];
const denyWarnings = ["--", "-D", "warnings"];

/** @type {TierName[]} */
const quick = ["quick"];
/** @type {TierName[]} */
const full = ["full"];
/** @type {TierName[]} */
const both = ["quick", "full"];
/** @type {TierName[]} */
const ofEngines = ["full", "engines"];

/** Two cargo processes would block on the same lock. */
const ofRust = { mutex: "cargo" };
const ofPackage = { needs: ["build"] };
const ofTarball = { ...ofPackage, mutex: "tarball" };
const inBrowser = { ...ofPackage, usesBrowser: true };
const ofDemo = { ...inBrowser, needs: ["demo-build"] };

/**
 * In the order in which they start: what others need comes first, and of the rest what takes long.
 * @type {Step[]}
 */
export const steps = [
  { name: "build", tiers: ["quick", "full", "engines", "packaging"], commands: () => [node("tools/build.js")] },
  {
    ...ofRust,
    name: "format",
    tiers: quick,
    commands: () => [
      cargo("fmt", "--all", "--check"),
      cargo("fmt", "--check", "--manifest-path", "tools/wasm-bindgen/Cargo.toml"),
      cargo("fmt", "--check", "--manifest-path", "tests/fuzz/Cargo.toml"),
    ],
  },
  {
    ...ofRust,
    name: "clippy",
    tiers: quick,
    commands: () => [cargo("clippy", "--locked", "--all-targets", ...denyWarnings)],
  },
  { ...ofRust, name: "rust", tiers: both, commands: () => [cargo("test", "--locked")] },
  {
    ...ofRust,
    name: "clippy-wasm",
    tiers: quick,
    commands: () => [cargo("clippy", "--locked", ...forWasm, ...denyWarnings)],
  },
  { ...ofRust, name: "rust-32", tiers: full, commands: () => [rustTests32()] },
  // The target for WebAssembly alone has every module.
  { ...ofRust, name: "doc", tiers: quick, commands: () => [documentation()] },
  { name: "biome", tiers: quick, commands: () => [tool("@biomejs/biome", "check", "--error-on-warnings")] },
  {
    ...ofPackage,
    name: "scripts",
    tiers: quick,
    commands: () => [tool("typescript", "--project", "tsconfig.json")],
  },
  { ...ofPackage, name: "knip", tiers: quick, commands: () => [tool("knip", "--no-progress")] },
  // Only a change of the tables' types can break what editors complete.
  {
    ...ofPackage,
    name: "types",
    tiers: both,
    commands: (tier) => [nodeTests("tests/types", { without: tier === "quick" ? ["completions.test.js"] : [] })],
  },
  {
    ...inBrowser,
    name: "browser",
    tiers: both,
    commands: (tier) => [vitest("tests/browser", { parameters: untagged(tier) })],
  },
  {
    ...inBrowser,
    name: "browser-worker",
    tiers: both,
    commands: (tier) => [vitest("tests/browser", { config: "worker-mode.config.js", parameters: untagged(tier) })],
  },
  { ...ofPackage, name: "engines", tiers: ofEngines, usesEngines: true, commands: otherEngines },
  {
    ...ofPackage,
    name: "demo-build",
    tiers: ["quick", "full", "engines"],
    commands: () => [node("tools/demo.js")],
  },
  {
    ...ofDemo,
    name: "demo",
    tiers: both,
    // What the quick tier leaves out measures tasks of the main thread, among others.
    alone: full,
    commands: (tier) => [
      tool(
        "@playwright/test",
        "test",
        "--config",
        "tests/demo/playwright.config.js",
        ...(tier === "quick" ? ["--grep-invert=@full", "--workers=2", "--trace=off"] : ["--grep=@full"]),
      ),
    ],
  },
  { ...ofDemo, name: "docs", tiers: both, commands: () => [nodeTests("tests/docs")] },
  {
    ...ofTarball,
    needs: ["demo-build"],
    name: "engine-pages",
    tiers: ofEngines,
    usesEngines: true,
    commands: () => [nodeTests("tests/engines")],
  },
  {
    ...ofPackage,
    name: "in-node",
    tiers: both,
    commands: (tier) => [inNode("parts of the demo", ...(tier === "quick" ? ["fake backend", "fake service"] : []))],
  },
  { ...inBrowser, name: "soak", tiers: full, commands: () => [node("tools/soak.js")] },
  {
    ...inBrowser,
    ...ofTarball,
    name: "package",
    tiers: quick,
    commands: () => [{ ...nodeTests("tests/package"), env: { TARBALL: pack() } }],
  },
  {
    ...inBrowser,
    ...ofTarball,
    name: "packaging",
    tiers: ["full", "packaging"],
    // All runs of a project together count as one test, which the installation is part of.
    commands: () => [nodeTests("tests/packaging", { limit: 1_200_000 })],
  },
  {
    ...ofPackage,
    mutex: "cargo",
    name: "publishing",
    tiers: full,
    commands: () => [nodeTests("tests/publishing", { limit: 600_000 })],
  },
  { ...ofPackage, name: "arrow", tiers: quick, commands: () => [nodeTests("tests/arrow")] },
  // The start of the demo builds the documentation into the folder of the built demo, which that empties.
  { ...ofPackage, needs: ["demo-build"], name: "tools", tiers: quick, commands: () => [nodeTests("tests/tools")] },
  { ...ofTarball, name: "manifest", tiers: quick, commands: manifest },
  { ...inBrowser, name: "wire", tiers: quick, commands: () => [onTheWire("vitest.config.js")] },
  { ...inBrowser, name: "wire-worker", tiers: full, commands: () => [onTheWire("worker-mode.config.js")] },
];

/**
 * The tests of the pure parts with pointers of 32 bits and the SIMD of the module. A test that fails ends their program at once, so nothing that
 * it prints is held back.
 */
function rustTests32() {
  const runner = [process.execPath, "--no-warnings=ExperimentalWarning", inRepository("tools", "wasi.js")];
  const target = "wasm32-wasip1";
  const config = `target.${target}.runner=${JSON.stringify(runner)}`;
  return {
    ...cargo("test", "--locked", "--lib", "--target", target, "--config", config, "--", "--nocapture"),
    env: { SCHEDULES: "10000", PROPTEST_DISABLE_FAILURE_PERSISTENCE: "1" },
  };
}

function documentation() {
  return {
    ...cargo("doc", "--locked", "--no-deps", "--document-private-items", ...forWasm),
    env: { RUSTDOCFLAGS: "-D warnings" },
  };
}

function manifest() {
  const tarball = pack();
  const own = ["--profile", "esm-only", "--exclude-entrypoints", "inspection_findings_bg.wasm"];
  return [tool("publint", "run", "--strict", tarball), tool("@arethetypeswrong/cli", tarball, ...own)];
}

/**
 * Runs in the other engines what the quick tier runs in Chromium: by default, in a worker and in the page. The full tier leaves out the page and
 * some files.
 * @param {TierName} tier
 */
function otherEngines(tier) {
  const excluded = tier === "full" ? Object.keys(leftOutOfFull).map((name) => `--exclude=${name}`) : [];
  const configs = ["vitest.config.js", "worker-mode.config.js", ...(tier === "full" ? [] : ["page-mode.config.js"])];
  return ["firefox", "webkit"].flatMap((engine) =>
    configs.map((config) => ({
      ...vitest("tests/browser", {
        config,
        parameters: [...untagged("quick"), ...(config === "vitest.config.js" ? excluded : [])],
      }),
      env: { ...tiers.quick.environment, ENGINE: engine },
    })),
  );
}

/**
 * Leaves out of the quick tier what is tagged as full.
 * @param {TierName} tier
 */
function untagged(tier) {
  return tier === "quick" ? ["--tagsFilter=!full"] : [];
}

/**
 * The tests on the wire, in a separate network: changes of the machine's network would break their connections.
 * @param {string} config
 */
function onTheWire(config) {
  return { words: inOwnNetwork(vitest("tests/wire", { config }).words) };
}

/**
 * The tests of a folder that has a configuration for Vitest.
 * @param {string} folder
 * @param {{ config?: string, parameters?: string[] }} [options]
 */
function vitest(folder, { config = "vitest.config.js", parameters = [] } = {}) {
  // One `.only` that is left behind would leave out all other tests without a word.
  return tool("vitest", "run", "--config", `${folder}/${config}`, "--allowOnly=false", ...parameters);
}

/**
 * Tests by Vitest that need no browser, in one process.
 * @param {...string} projects their names
 */
function inNode(...projects) {
  return tool("vitest", "run", "--allowOnly=false", ...projects.map((name) => `--project=${name}`));
}

/**
 * The test files of a folder, one after the other.
 * @param {string} folder
 * @param {{ limit?: number, without?: string[] }} [options] the milliseconds that a test may take, and files to leave out
 */
export function nodeTests(folder, { limit = 180_000, without = [] } = {}) {
  const files = readdirSync(inRepository(folder)).filter(
    (name) => name.endsWith(".test.js") && !without.includes(name),
  );
  const options = ["--test-concurrency=1", `--test-timeout=${limit}`, "--test-reporter=spec"];
  return node("--test", ...options, ...files.map((name) => `${folder}/${name}`));
}

/**
 * The command of an npm package.
 * @param {string} packageName
 * @param {...string} parameters
 */
function tool(packageName, ...parameters) {
  return node(packageCommand(packageName), ...parameters);
}

/** @param {...string} parameters */
function node(...parameters) {
  return { words: [process.execPath, ...parameters] };
}

/** @param {...string} parameters */
function cargo(...parameters) {
  return { words: ["cargo", ...parameters] };
}
