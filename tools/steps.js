/** The steps of the tests: what each runs, in which tiers, and how it counts. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { leftOut, leftOutOfFull } from "../tests/browser/left-out.js";
import { build } from "./build.js";
import { Failure, follow, packageCommand, say } from "./command.js";
import { buildDemo } from "./demo.js";
import { inOwnNetwork } from "./network.js";
import { inRepository } from "./repository.js";
import { pack } from "./tarball.js";
import { inLightOf, ofCargo, ofCheck, ofNode, ofPlaywright, ofVitest, sum } from "./test-summary.js";
import { isQuick, tiers } from "./tiers.js";

/**
 * @typedef {import("./test-summary.js").Totals} Totals
 * @typedef {object} Step
 * @property {string} name by which it is chosen on the command line
 * @property {string} heading
 * @property {import("./tiers.js").TierName[]} tiers
 * @property {string[]} [needs] steps without whose success it would prove nothing
 * @property {string} [holds] what no other step may use at the same time
 * @property {boolean} [alone] whether no other step may run beside it
 * @property {boolean} [usesBrowser] whether it needs a browser
 * @property {boolean} [usesEngines] whether it needs Firefox and WebKit
 * @property {() => Promise<Totals>} run
 */

const forWasm = ["--target", "wasm32-unknown-unknown"];
const strictDocumentation = { RUSTDOCFLAGS: "-D warnings" };

/** @type {Step["tiers"]} */
const quick = ["quick"];
/** @type {Step["tiers"]} */
const full = ["full"];
/** @type {Step["tiers"]} */
const both = ["quick", "full"];
/** @type {Step["tiers"]} */
const ofEngines = ["full", "engines"];

/** Of two cargos at work on the same files one waits for the other. */
const ofRust = { holds: "cargo" };
const ofPackage = { needs: ["build"] };
const ofTarball = { ...ofPackage, holds: "tarball" };
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
    run: passesUnlessItFails(build),
  },
  { ...ofRust, name: "format", heading: "Formatting of the Rust code", tiers: quick, run: formatting },
  {
    ...ofRust,
    name: "clippy",
    heading: "Clippy",
    tiers: quick,
    run: cargo("clippy", "--all-targets", "--", "-D", "warnings"),
  },
  { ...ofRust, name: "rust", heading: "Rust tests", tiers: both, run: rustTests },
  {
    ...ofRust,
    name: "clippy-wasm",
    heading: "Clippy for WebAssembly",
    tiers: quick,
    run: cargo("clippy", ...forWasm, "--", "-D", "warnings"),
  },
  { ...ofRust, name: "rust-32", heading: "Rust tests with 32 bits", tiers: full, run: rustTests32 },
  { ...ofRust, name: "doc", heading: "Rust documentation", tiers: quick, run: documentation() },
  {
    ...ofRust,
    name: "doc-wasm",
    heading: "Rust documentation for WebAssembly",
    tiers: quick,
    run: documentation(...forWasm),
  },
  {
    name: "biome",
    heading: "Formatting and rules of the JavaScript",
    tiers: quick,
    run: tool("@biomejs/biome", "check", "--error-on-warnings"),
  },
  {
    ...ofPackage,
    name: "scripts",
    heading: "Types of the scripts, the tests and the demo",
    tiers: quick,
    run: tool("typescript", "--project", "tsconfig.json"),
  },
  {
    ...ofPackage,
    name: "knip",
    heading: "Files, exports and dependencies that nothing uses",
    tiers: quick,
    run: tool("knip", "--no-progress"),
  },
  {
    ...ofPackage,
    name: "types",
    heading: "Types of the public interface",
    tiers: quick,
    run: nodeTests("tests/types"),
  },
  {
    ...inBrowser,
    name: "browser",
    heading: "The public interface in the browser",
    tiers: both,
    run: vitest("tests/browser", { hasFullTests: true }),
  },
  {
    ...inBrowser,
    name: "browser-worker",
    heading: "The public interface in the browser, in a worker",
    tiers: both,
    run: vitest("tests/browser", { config: "worker-mode.config.js", hasFullTests: true }),
  },
  {
    ...ofPackage,
    name: "engines",
    heading: "The public interface in Firefox and WebKit",
    tiers: ofEngines,
    usesEngines: true,
    run: otherEngines,
  },
  {
    ...ofPackage,
    name: "demo-build",
    heading: "Build of the demo",
    tiers: ["quick", "full", "engines"],
    run: passesUnlessItFails(buildDemo),
  },
  {
    ...inBrowser,
    needs: ["build", "demo-build"],
    name: "demo",
    heading: "The demo in the browser",
    tiers: both,
    run: demoTests,
  },
  {
    ...inBrowser,
    needs: ["build", "demo-build"],
    name: "docs",
    heading: "The documentation: its code, its links and its site",
    tiers: both,
    run: nodeTests("tests/docs"),
  },
  {
    ...ofTarball,
    needs: ["build", "demo-build"],
    name: "engine-pages",
    heading: "The documentation and the quick start in Firefox and WebKit",
    tiers: ofEngines,
    usesEngines: true,
    run: nodeTests("tests/engines"),
  },
  {
    ...ofPackage,
    name: "fake-backend",
    heading: "Tests of the fake backend",
    tiers: quick,
    run: vitest("tests/fake-backend"),
  },
  {
    ...ofPackage,
    name: "testing",
    heading: "The fake service for tests",
    tiers: quick,
    run: vitest("tests/testing"),
  },
  {
    ...ofPackage,
    name: "demo-parts",
    heading: "The demo's parts in Node",
    tiers: both,
    run: vitest("tests/demo-parts"),
  },
  { ...inBrowser, name: "soak", heading: "Many retrievals, in one page and in a worker", tiers: both, run: soak },
  {
    ...inBrowser,
    ...ofTarball,
    name: "package",
    heading: "The package in other people's projects",
    tiers: quick,
    run: nodeTests("tests/package"),
  },
  {
    ...inBrowser,
    ...ofTarball,
    name: "packaging",
    heading: "The package in other people's toolchains",
    tiers: ["full", "packaging"],
    // All runs of a project together count as one test, which the installation is part of.
    run: nodeTests("tests/packaging", { limit: 1_200_000 }),
  },
  {
    ...ofPackage,
    holds: "cargo",
    name: "publishing",
    heading: "The package as npm would publish it, and built twice",
    tiers: full,
    run: nodeTests("tests/publishing", { limit: 600_000 }),
  },
  {
    ...ofPackage,
    name: "arrow",
    heading: "Arrow and Parquet in Node",
    tiers: both,
    run: nodeTests("tests/arrow"),
  },
  { ...ofPackage, name: "tools", heading: "Tests of the tools", tiers: quick, run: nodeTests("tests/tools") },
  {
    ...ofTarball,
    name: "publint",
    heading: "The package's manifest",
    tiers: quick,
    run: () => tool("publint", "run", "--strict", pack())(),
  },
  {
    ...ofTarball,
    name: "attw",
    heading: "The package's types as others resolve them",
    tiers: quick,
    run: resolution,
  },
  {
    ...inBrowser,
    name: "wire",
    heading: "The package on the wire",
    tiers: quick,
    alone: true,
    run: vitest("tests/wire", { ownNetwork: true }),
  },
  {
    ...inBrowser,
    name: "wire-worker",
    heading: "The package on the wire, in a worker",
    tiers: full,
    alone: true,
    run: vitest("tests/wire", { config: "worker-mode.config.js", ownNetwork: true }),
  },
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
      // The others have no counts, so the full tier would only repeat them. Some of its own measure time: nothing else may work meanwhile.
      ...(isQuick() ? ["--grep-invert=@full", "--workers=2", "--trace=off"] : ["--grep=@full"]),
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
 * Runs in the other engines what the quick tier runs in Chromium, by default, in a worker and in the page, and names what each of them leaves out. The full
 * tier leaves out more.
 * @returns {Promise<Totals>}
 */
async function otherEngines() {
  const ofTier = process.env.TIER === "full" ? leftOutOfFull : {};
  /** @type {Totals[]} */
  const totals = [];
  for (const engine of ["firefox", "webkit"]) {
    const files = Object.entries({ ...ofTier, ...leftOut[engine] }).map(([name, reason]) => `${name} (${reason})`);
    const skipped = new Set(files);
    for (const config of ["vitest.config.js", "worker-mode.config.js", "page-mode.config.js"]) {
      const excluded = config === "vitest.config.js" ? Object.keys(ofTier) : [];
      const { report, status } = await runVitest("tests/browser", {
        name: `${engine}-${basename(config, ".config.js")}`,
        config,
        parameters: ["--tagsFilter=!full", ...excluded.map((name) => `--exclude=${name}`)],
        env: { ...tiers.quick.environment, ENGINE: engine },
      });
      totals.push(inLightOf(ofVitest(report), status));
      for (const name of skippedWithReason(report)) skipped.add(name);
    }
    say([`Left out in ${engine}:`, ...skipped].join("\n  "));
  }
  return { ...sum(totals), failures: totals.flatMap(({ failures = [] }) => failures) };
}

/**
 * The names of the tests that an engine skips, each of which has the reason.
 * @param {any} report of Vitest
 * @returns {string[]}
 */
function skippedWithReason(report) {
  /** @type {string[]} */
  const names = report.testResults.flatMap((/** @type {any} */ { assertionResults }) =>
    assertionResults.map((/** @type {any} */ { fullName }) => fullName),
  );
  return names.filter((name) => name.includes("(not in this engine: "));
}

/**
 * Runs the test files of a folder, one after the other.
 * @param {string} folder
 * @param {object} [options]
 * @param {number} [options.limit] milliseconds that a test may take
 */
function nodeTests(folder, { limit = 180_000 } = {}) {
  return async () => {
    const files = readdirSync(inRepository(folder)).filter((name) => name.endsWith(".test.js"));
    const { status, output } = await follow(process.execPath, [
      "--test",
      "--test-concurrency=1",
      `--test-timeout=${limit}`,
      "--test-reporter=spec",
      ...files.map((name) => `${folder}/${name}`),
    ]);
    return inLightOf(ofNode(output), status);
  };
}

/**
 * Runs the tests of a folder that has a configuration for Vitest.
 * @param {string} folder
 * @param {object} [options]
 * @param {boolean} [options.ownNetwork] whether they have to be undisturbed by the network of this machine
 * @param {boolean} [options.hasFullTests] whether some of them are for the full tier only
 * @param {string} [options.config] the name of the configuration
 */
function vitest(folder, { ownNetwork = false, hasFullTests = false, config = "vitest.config.js" } = {}) {
  return async () => {
    const parameters = hasFullTests && isQuick() ? ["--tagsFilter=!full"] : [];
    const name = `${basename(folder)}-${basename(config, ".config.js")}`;
    const { report, status } = await runVitest(folder, { name, config, parameters, ownNetwork });
    return inLightOf(ofVitest(report), status);
  };
}

/**
 * Runs Vitest, and resolves with the report of its JSON reporter.
 * @param {string} folder
 * @param {object} options
 * @param {string} options.name of the report
 * @param {string} [options.config] its name in the folder
 * @param {string[]} options.parameters
 * @param {boolean} [options.ownNetwork]
 * @param {Record<string, string>} [options.env]
 */
async function runVitest(folder, { name, config = "vitest.config.js", parameters, ownNetwork = false, env = {} }) {
  const path = freshReport(`${name}.json`);
  const [program, ...rest] = (ownNetwork ? inOwnNetwork : asItIs)([
    process.execPath,
    packageCommand("vitest"),
    "run",
    "--config",
    `${folder}/${config}`,
    // One that is left behind would leave out all the others without a word.
    "--allowOnly=false",
    ...parameters,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${path}`,
  ]);
  const { status } = await follow(program, rest, { env });
  return { report: read(path), status };
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
