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
 * @property {(tier: TierName) => Command[]} commands in their order; the step passes if all of them do. Called when it begins
 * @property {string[]} [needs] steps without whose success it would prove nothing; they run first, with what they need
 * @property {string} [mutex] what no other step may use at the same time
 * @property {boolean} [usesBrowser] whether it needs a browser
 * @property {boolean} [usesEngines] whether it needs Firefox and WebKit
 */

const forWasm = ["--target", "wasm32-unknown-unknown"];
const denyWarnings = ["--", "-D", "warnings"];
const untagged = "--tagsFilter=!full";
/** Only a change of the tables' types can break what editors complete. */
const slowTypes = "completions.test.js";

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
const afterDemo = { needs: ["demo-build"] };
const inEngines = { ...ofPackage, usesEngines: true };
const inProject = { ...inBrowser, ...ofTarball };

/**
 * In the order in which they start: what others need comes first, and of the rest what takes long.
 * @type {Step[]}
 */
export const steps = [
  step("build", ["quick", "full", "engines", "packaging"], () => [node("tools/build.js")]),
  step("format", quick, formats, ofRust),
  step("clippy", quick, () => [cargo("clippy", "--locked", "--all-targets", ...denyWarnings)], ofRust),
  step("rust", both, () => [cargo("test", "--locked")], ofRust),
  step("clippy-wasm", quick, () => [cargo("clippy", "--locked", ...forWasm, ...denyWarnings)], ofRust),
  step("rust-32", full, rustTests32, ofRust),
  step("doc", quick, documentation, ofRust),
  step("biome", quick, () => [tool("@biomejs/biome", "check", "--error-on-warnings")]),
  step("scripts", quick, () => [tool("typescript", "--project", "tsconfig.json")], ofPackage),
  step("knip", quick, () => [tool("knip", "--no-progress")], ofPackage),
  step("types", both, (tier) => [nodeTests("tests/types", { without: inQuick(tier, slowTypes) })], ofPackage),
  step("browser", both, inChromium("vitest.config.js"), inBrowser),
  step("browser-worker", both, inChromium("worker-mode.config.js"), inBrowser),
  step("engines", ofEngines, otherEngines, inEngines),
  step("demo-build", ["quick", "full", "engines"], () => [node("tools/demo.js")], ofPackage),
  step("demo", both, demo, { ...inBrowser, ...afterDemo }),
  step("docs", both, () => [nodeTests("tests/docs")], { ...inBrowser, ...afterDemo }),
  step("engine-pages", ofEngines, () => [nodeTests("tests/engines")], { ...inEngines, ...ofTarball, ...afterDemo }),
  step("in-node", both, inNode, ofPackage),
  step("soak", full, () => [node("tools/soak.js")], inBrowser),
  step("package", quick, () => [{ ...nodeTests("tests/package"), env: { TARBALL: pack() } }], inProject),
  // All runs of a project together count as one test, which the installation is part of.
  step("packaging", ["full", "packaging"], () => [nodeTests("tests/packaging", { limit: 1_200_000 })], inProject),
  step("publishing", full, () => [nodeTests("tests/publishing", { limit: 600_000 })], { ...ofPackage, ...ofRust }),
  // The start of the demo builds the documentation into the folder of the built demo, which that empties.
  step("tools", quick, () => [nodeTests("tests/tools")], afterDemo),
  step("manifest", quick, manifest, ofTarball),
  step("wire", quick, () => [onTheWire("vitest.config.js")], inBrowser),
  step("wire-worker", full, () => [onTheWire("worker-mode.config.js")], inBrowser),
];

/**
 * @param {string} name
 * @param {TierName[]} tiers
 * @param {Step["commands"]} commands
 * @param {Omit<Step, "name" | "tiers" | "commands">} [needs]
 * @returns {Step}
 */
function step(name, tiers, commands, needs) {
  return { name, tiers, commands, ...needs };
}

function formats() {
  const others = ["tools/wasm-bindgen", "tests/fuzz"].map((folder) => ["--manifest-path", `${folder}/Cargo.toml`]);
  return [["--all"], ...others].map((crates) => cargo("fmt", "--check", ...crates));
}

/**
 * The tests of the pure parts with pointers of 32 bits and the SIMD of the module. A test that fails ends their program at once, so nothing that
 * it prints is held back.
 */
function rustTests32() {
  const runner = [process.execPath, "--no-warnings=ExperimentalWarning", inRepository("tools", "wasi.js")];
  const target = "wasm32-wasip1";
  const config = `target.${target}.runner=${JSON.stringify(runner)}`;
  return [
    {
      ...cargo("test", "--locked", "--lib", "--target", target, "--config", config, "--", "--nocapture"),
      env: { SCHEDULES: "10000", PROPTEST_DISABLE_FAILURE_PERSISTENCE: "1" },
    },
  ];
}

/** Of the target for WebAssembly, which alone has every module. */
function documentation() {
  const parameters = ["--locked", "--no-deps", "--document-private-items", ...forWasm];
  return [{ ...cargo("doc", ...parameters), env: { RUSTDOCFLAGS: "-D warnings" } }];
}

function manifest() {
  const tarball = pack();
  const own = ["--profile", "esm-only", "--exclude-entrypoints", "inspection_findings_bg.wasm"];
  return [tool("publint", "run", "--strict", tarball), tool("@arethetypeswrong/cli", tarball, ...own)];
}

/**
 * Runs in the other engines what the quick tier runs in Chromium: by default, in a worker and in the page. The full tier leaves out the page and
 * some files.
 * @type {Step["commands"]}
 */
function otherEngines(tier) {
  const excluded = tier === "full" ? Object.keys(leftOutOfFull).map((name) => `--exclude=${name}`) : [];
  const ways = [["vitest.config.js", ...excluded], ["worker-mode.config.js"]];
  if (tier !== "full") ways.push(["page-mode.config.js"]);
  return ["firefox", "webkit"].flatMap((engine) =>
    ways.map(([config, ...parameters]) => ({
      ...vitest("tests/browser", config, untagged, ...parameters),
      env: { ...tiers.quick.environment, ENGINE: engine },
    })),
  );
}

/**
 * The browser tests in Chromium, in the quick tier without what is tagged as full.
 * @param {string} config
 * @returns {Step["commands"]}
 */
function inChromium(config) {
  return (tier) => [vitest("tests/browser", config, ...inQuick(tier, untagged))];
}

/** @type {Step["commands"]} */
function demo(tier) {
  const ofTier = tier === "quick" ? ["--grep-invert=@full", "--workers=2", "--trace=off"] : ["--grep=@full"];
  return [tool("@playwright/test", "test", "--config", "tests/demo/playwright.config.js", ...ofTier)];
}

/**
 * Tests by Vitest that need no browser, in one process.
 * @type {Step["commands"]}
 */
function inNode(tier) {
  const projects = ["command", ...inQuick(tier, "fake backend", "fake service")];
  return [tool("vitest", "run", "--allowOnly=false", ...projects.map((name) => `--project=${name}`))];
}

/**
 * The tests on the wire, in a separate network: changes of the machine's network would break their connections.
 * @param {string} config
 */
function onTheWire(config) {
  return { words: inOwnNetwork(vitest("tests/wire", config).words) };
}

/**
 * The tests of a folder that has a configuration for Vitest.
 * @param {string} folder
 * @param {string} config
 * @param {...string} parameters
 */
function vitest(folder, config, ...parameters) {
  // One `.only` that is left behind would leave out all other tests without a word.
  return tool("vitest", "run", "--config", `${folder}/${config}`, "--allowOnly=false", ...parameters);
}

/**
 * @param {TierName} tier
 * @param {...string} parameters that only the quick tier has
 */
function inQuick(tier, ...parameters) {
  return tier === "quick" ? parameters : [];
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
