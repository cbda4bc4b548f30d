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
 * @property {string} heading
 * @property {TierName[]} tiers
 * @property {string[]} [needs] steps without whose success it would prove nothing
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

/**
 * In the order in which they start: what others need comes first, and of the rest what takes long.
 * @type {Step[]}
 */
export const steps = [
  {
    name: "build",
    heading: "Build of the package",
    tiers: ["quick", "full", "engines", "packaging"],
    commands: () => [node("tools/build.js")],
  },
  {
    ...ofRust,
    name: "format",
    heading: "Formatting of the Rust code",
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
    heading: "Clippy",
    tiers: quick,
    commands: () => [cargo("clippy", "--locked", "--all-targets", ...denyWarnings)],
  },
  {
    ...ofRust,
    name: "rust",
    heading: "Rust tests",
    tiers: both,
    commands: () => [cargo("test", "--locked")],
  },
  {
    ...ofRust,
    name: "clippy-wasm",
    heading: "Clippy for WebAssembly",
    tiers: quick,
    commands: () => [cargo("clippy", "--locked", ...forWasm, ...denyWarnings)],
  },
  { ...ofRust, name: "rust-32", heading: "Rust tests with 32 bits", tiers: full, commands: () => [rustTests32()] },
  {
    ...ofRust,
    name: "doc",
    heading: "Rust documentation",
    tiers: quick,
    // This target alone has every module.
    commands: () => [documentation()],
  },
  {
    name: "biome",
    heading: "Formatting and rules of the JavaScript",
    tiers: quick,
    commands: () => [tool("@biomejs/biome", "check", "--error-on-warnings")],
  },
  {
    ...ofPackage,
    name: "scripts",
    heading: "Types of the scripts, the tests and the demo",
    tiers: quick,
    commands: () => [tool("typescript", "--project", "tsconfig.json")],
  },
  {
    ...ofPackage,
    name: "knip",
    heading: "Files, exports and dependencies that nothing uses",
    tiers: quick,
    commands: () => [tool("knip", "--no-progress")],
  },
  {
    ...ofPackage,
    name: "types",
    heading: "Types of the public interface",
    tiers: both,
    commands: () => [nodeTests("tests/types")],
  },
  {
    ...inBrowser,
    name: "browser",
    heading: "The public interface in the browser",
    tiers: both,
    commands: (tier) => [vitest("tests/browser", { parameters: untagged(tier) })],
  },
  {
    ...inBrowser,
    name: "browser-worker",
    heading: "The public interface in the browser, in a worker",
    tiers: both,
    commands: (tier) => [vitest("tests/browser", { config: "worker-mode.config.js", parameters: untagged(tier) })],
  },
  {
    ...ofPackage,
    name: "engines",
    heading: "The public interface in Firefox and WebKit",
    tiers: ofEngines,
    usesEngines: true,
    commands: otherEngines,
  },
  {
    ...ofPackage,
    name: "demo-build",
    heading: "Build of the demo",
    tiers: ["quick", "full", "engines"],
    commands: () => [node("tools/demo.js")],
  },
  {
    ...inBrowser,
    needs: ["build", "demo-build"],
    name: "demo",
    heading: "The demo in the browser",
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
  {
    ...inBrowser,
    needs: ["build", "demo-build"],
    name: "docs",
    heading: "The documentation: its code, its links and its site",
    tiers: both,
    commands: () => [nodeTests("tests/docs")],
  },
  {
    ...ofTarball,
    needs: ["build", "demo-build"],
    name: "engine-pages",
    heading: "The documentation and the quick start in Firefox and WebKit",
    tiers: ofEngines,
    usesEngines: true,
    commands: () => [nodeTests("tests/engines")],
  },
  {
    ...ofPackage,
    name: "fake-backend",
    heading: "Tests of the fake backend",
    tiers: quick,
    commands: () => [vitest("tests/fake-backend")],
  },
  {
    ...ofPackage,
    name: "testing",
    heading: "The fake service for tests",
    tiers: quick,
    commands: () => [vitest("tests/testing")],
  },
  {
    ...ofPackage,
    name: "demo-parts",
    heading: "The demo's parts in Node",
    tiers: both,
    commands: () => [vitest("tests/demo-parts")],
  },
  {
    ...inBrowser,
    name: "soak",
    heading: "Many retrievals, in one page and in a worker",
    tiers: both,
    commands: () => [node("tools/soak.js")],
  },
  {
    ...inBrowser,
    ...ofTarball,
    name: "package",
    heading: "The package in other people's projects",
    tiers: quick,
    commands: () => [nodeTests("tests/package")],
  },
  {
    ...inBrowser,
    ...ofTarball,
    name: "packaging",
    heading: "The package in other people's toolchains",
    tiers: ["full", "packaging"],
    // All runs of a project together count as one test, which the installation is part of.
    commands: () => [nodeTests("tests/packaging", 1_200_000)],
  },
  {
    ...ofPackage,
    mutex: "cargo",
    name: "publishing",
    heading: "The package as npm would publish it, and built twice",
    tiers: full,
    commands: () => [nodeTests("tests/publishing", 600_000)],
  },
  {
    ...ofPackage,
    name: "arrow",
    heading: "Arrow and Parquet in Node",
    tiers: both,
    commands: () => [nodeTests("tests/arrow")],
  },
  {
    ...ofPackage,
    name: "tools",
    heading: "Tests of the tools",
    tiers: quick,
    commands: () => [nodeTests("tests/tools")],
  },
  {
    ...ofTarball,
    name: "manifest",
    heading: "The package's manifest, and its types as others resolve them",
    tiers: quick,
    commands: manifest,
  },
  {
    ...inBrowser,
    name: "wire",
    heading: "The package on the wire",
    tiers: quick,
    commands: () => [onTheWire("vitest.config.js")],
  },
  {
    ...inBrowser,
    name: "wire-worker",
    heading: "The package on the wire, in a worker",
    tiers: full,
    commands: () => [onTheWire("worker-mode.config.js")],
  },
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
  return [
    tool("publint", "run", "--strict", tarball),
    tool(
      "@arethetypeswrong/cli",
      tarball,
      "--profile",
      "esm-only",
      "--exclude-entrypoints",
      "inspection_findings_bg.wasm",
    ),
  ];
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
 * The test files of a folder, one after the other.
 * @param {string} folder
 * @param {number} [limit] milliseconds that a test may take
 */
function nodeTests(folder, limit = 180_000) {
  const files = readdirSync(inRepository(folder)).filter((name) => name.endsWith(".test.js"));
  return node(
    "--test",
    "--test-concurrency=1",
    `--test-timeout=${limit}`,
    "--test-reporter=spec",
    ...files.map((name) => `${folder}/${name}`),
  );
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
