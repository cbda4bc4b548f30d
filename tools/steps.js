/** The steps of the tests: what each runs, and how it counts. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { build } from "./build.js";
import { Failure, follow, packageCommand } from "./command.js";
import { buildDemo } from "./demo.js";
import { inOwnNetwork } from "./network.js";
import { inRepository } from "./repository.js";
import { pack } from "./tarball.js";
import { inLightOf, ofCargo, ofCheck, ofNode, ofPlaywright, ofVitest } from "./test-summary.js";

/**
 * @typedef {import("./test-summary.js").Totals} Totals
 * @typedef {object} Step
 * @property {string} name by which it is chosen on the command line
 * @property {string} heading
 * @property {boolean} [usesPackage] whether it needs the built package
 * @property {boolean} [usesBrowser] whether it needs a browser
 * @property {() => Promise<Totals>} run
 */

const forWasm = ["--target", "wasm32-unknown-unknown"];
const strictDocumentation = { RUSTDOCFLAGS: "-D warnings" };

/** The step that the steps about the package wait for. */
export const buildStep = { name: "build", heading: "Build of the package", run: passesUnlessItFails(build) };

/** @type {Step[]} */
export const steps = [
  { name: "format", heading: "Formatting of the Rust code", run: formatting },
  { name: "clippy", heading: "Clippy", run: cargo("clippy", "--all-targets", "--", "-D", "warnings") },
  { name: "clippy-wasm", heading: "Clippy for WebAssembly", run: cargo("clippy", ...forWasm, "--", "-D", "warnings") },
  { name: "rust", heading: "Rust tests", run: rustTests },
  { name: "rust-32", heading: "Rust tests with 32 bits", run: rustTests32 },
  { name: "doc", heading: "Rust documentation", run: documentation() },
  { name: "doc-wasm", heading: "Rust documentation for WebAssembly", run: documentation(...forWasm) },
  {
    name: "biome",
    heading: "Formatting and rules of the JavaScript",
    run: tool("@biomejs/biome", "check", "--error-on-warnings"),
  },
  { name: "fake-backend", heading: "Tests of the fake backend", run: vitest("tests/fake-backend") },
  buildStep,
  { name: "tools", heading: "Tests of the tools", usesPackage: true, run: nodeTests("tests/tools") },
  {
    name: "scripts",
    heading: "Types of the scripts, the tests and the demo",
    usesPackage: true,
    run: tool("typescript", "--project", "tsconfig.json"),
  },
  { name: "types", heading: "Types of the public interface", usesPackage: true, run: nodeTests("tests/types") },
  {
    name: "publint",
    heading: "The package's manifest",
    usesPackage: true,
    run: () => tool("publint", "run", "--strict", pack())(),
  },
  { name: "attw", heading: "The package's types as others resolve them", usesPackage: true, run: resolution },
  {
    name: "package",
    heading: "The package in other people's projects",
    usesPackage: true,
    usesBrowser: true,
    run: nodeTests("tests/package"),
  },
  {
    name: "browser",
    heading: "The public interface in the browser",
    usesPackage: true,
    usesBrowser: true,
    run: vitest("tests/browser"),
  },
  {
    name: "wire",
    heading: "The package on the wire",
    usesPackage: true,
    usesBrowser: true,
    run: vitest("tests/wire", { ownNetwork: true }),
  },
  { name: "soak", heading: "A thousand retrievals in one page", usesPackage: true, usesBrowser: true, run: soak },
  { name: "demo-build", heading: "Build of the demo", usesPackage: true, run: passesUnlessItFails(buildDemo) },
  { name: "demo", heading: "The demo in the browser", usesPackage: true, usesBrowser: true, run: demoTests },
];

/** @returns {Promise<Totals>} */
async function formatting() {
  const crate = await cargo("fmt", "--all", "--check")();
  const glueTool = await cargo("fmt", "--check", "--manifest-path", "tools/wasm-bindgen/Cargo.toml")();
  const fuzzing = await cargo("fmt", "--check", "--manifest-path", "tests/fuzz/Cargo.toml")();
  return ofCheck(crate.failed + glueTool.failed + fuzzing.failed);
}

/** @returns {Promise<Totals>} */
async function rustTests() {
  const { status, output } = await follow("cargo", ["test", "--locked"]);
  return inLightOf(ofCargo(output), status);
}

/**
 * The tests of the pure parts with pointers of 32 bits and the SIMD of the module. A test that fails ends their program at once, so nothing that
 * it prints is held back.
 * @returns {Promise<Totals>}
 */
async function rustTests32() {
  const runner = [process.execPath, "--no-warnings=ExperimentalWarning", inRepository("tools", "wasi.js")];
  const { status, output } = await follow(
    "cargo",
    [
      "test",
      "--locked",
      "--lib",
      "--target",
      "wasm32-wasip1",
      "--config",
      `target.wasm32-wasip1.runner=${JSON.stringify(runner)}`,
      "--",
      "--nocapture",
    ],
    { env: { SCHEDULES: "10000", PROPTEST_DISABLE_FAILURE_PERSISTENCE: "1" } },
  );
  return inLightOf(ofCargo(output), status);
}

/** @returns {Promise<Totals>} */
function resolution() {
  const wasm = "inspection_findings_bg.wasm";
  return tool("@arethetypeswrong/cli", pack(), "--profile", "esm-only", "--exclude-entrypoints", wasm)();
}

/** @returns {Promise<Totals>} */
async function demoTests() {
  const report = freshReport("demo.json");
  const { status } = await follow(
    process.execPath,
    [
      packageCommand("@playwright/test"),
      "test",
      "--config",
      "tests/demo/playwright.config.js",
      "--forbid-only",
      "--reporter=list,json",
    ],
    { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report } },
  );
  return inLightOf(ofPlaywright(read(report)), status);
}

/** @returns {Promise<Totals>} */
async function soak() {
  // Only now: it needs what the set-up has installed.
  const { runSoak } = await import("../tests/soak/run.js");
  return runSoak({ seed: Math.floor(Math.random() * 2 ** 32) });
}

/**
 * Runs the test files of a folder, one after the other.
 * @param {string} folder
 */
function nodeTests(folder) {
  return async () => {
    const files = readdirSync(inRepository(folder)).filter((name) => name.endsWith(".test.js"));
    const { status, output } = await follow(process.execPath, [
      "--test",
      "--test-concurrency=1",
      "--test-timeout=180000",
      "--test-reporter=spec",
      ...files.map((name) => `${folder}/${name}`),
    ]);
    return inLightOf(ofNode(output), status);
  };
}

/**
 * Runs the tests of a folder that has a configuration for Vitest.
 * @param {string} folder
 * @param {{ ownNetwork?: boolean }} [options] whether they have to be undisturbed by the network of this machine
 */
function vitest(folder, { ownNetwork = false } = {}) {
  return async () => {
    const report = freshReport(`${basename(folder)}.json`);
    const [program, ...parameters] = (ownNetwork ? inOwnNetwork : asItIs)([
      process.execPath,
      packageCommand("vitest"),
      "run",
      "--config",
      `${folder}/vitest.config.js`,
      // One that is left behind would leave out all the others without a word.
      "--allowOnly=false",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ]);
    const { status } = await follow(program, parameters);
    return inLightOf(ofVitest(read(report)), status);
  };
}

/** @param {string[]} command */
function asItIs(command) {
  return command;
}

/**
 * A check by cargo.
 * @param {string} command
 * @param {...string} parameters
 */
function cargo(command, ...parameters) {
  const locked = command === "fmt" ? [] : ["--locked"];
  return async () => ofCheck((await follow("cargo", [command, ...locked, ...parameters])).status);
}

/** @param {...string} parameters */
function documentation(...parameters) {
  const command = ["doc", "--locked", "--no-deps", "--document-private-items", ...parameters];
  return async () => ofCheck((await follow("cargo", command, { env: strictDocumentation })).status);
}

/**
 * A check by the command of an npm package.
 * @param {string} packageName
 * @param {...string} parameters
 */
function tool(packageName, ...parameters) {
  return async () => ofCheck((await follow(process.execPath, [packageCommand(packageName), ...parameters])).status);
}

/** @param {() => Promise<unknown>} work */
function passesUnlessItFails(work) {
  return async () => {
    await work();
    return ofCheck(0);
  };
}

/**
 * The path of a report that a runner writes, without one of an earlier run.
 * @param {string} name
 */
function freshReport(name) {
  const path = inRepository("target", "reports", name);
  mkdirSync(inRepository("target", "reports"), { recursive: true });
  rmSync(path, { force: true });
  return path;
}

/** @param {string} report */
function read(report) {
  if (!existsSync(report)) {
    throw new Failure("The runner ended without a report.");
  }
  return JSON.parse(readFileSync(report, "utf8"));
}
