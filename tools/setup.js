/** The set-up: installs what the build and the tests need, unless it is installed. */

import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { ensureGlueTool } from "./bindings.js";
import { capture, Failure, isStarted, log, run, script } from "./command.js";
import { ensureNode } from "./node.js";
import { inRepository } from "./repository.js";

const wasm = "wasm32-unknown-unknown";

/** The target for tests with pointers of 32 bits. */
const wasi = "wasm32-wasip1";

/**
 * Installs what the build needs.
 * @param {(() => Promise<void>)[]} [others] install something else beside it
 */
export async function setUp(others = []) {
  ensureNpm();
  await ensureNode();
  // Side by side: some wait for the network, one for the compiler.
  const parts = [ensurePackages, ensureRustParts, ...others].map((ensure) => ensure());
  for (const part of await Promise.allSettled(parts)) {
    if (part.status === "rejected") {
      throw part.reason;
    }
  }
}

/**
 * Installs what only the tests need: Rust's formatter, its linter, and the target for tests with 32 bits.
 * @param {import("./tiers.js").TierName} tier
 */
export async function setUpChecks(tier) {
  if (tier === "full") await ensureTarget(wasi);
  for (const [component, command] of [
    ["clippy", "cargo-clippy"],
    ["rustfmt", "rustfmt"],
  ]) {
    if (capture(command, ["--version"]) === undefined) {
      log(`Adding ${component} to the Rust toolchain …`);
      await addComponent(component);
    }
  }
}

function ensureNpm() {
  if (capture("npm", ["--version"]) === undefined) {
    throw new Failure(
      "npm is needed and was not found: get it with your system's package manager (`apt-get install npm`).",
    );
  }
}

/** Installs the npm packages unless exactly those of the lock file are installed. */
async function ensurePackages() {
  if (packagesAreThere()) {
    return;
  }
  log("Installing the npm packages (under a minute) …");
  await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel", "error"], {
    otherwise: "The npm packages could not be installed with `npm ci`: see npm's message above.",
  });
}

function packagesAreThere() {
  const installed = inRepository("node_modules", ".package-lock.json");
  if (!existsSync(installed)) {
    return false;
  }
  const wanted = Object.entries(lockedPackages(inRepository("package-lock.json"))).filter(([folder]) => folder !== "");
  const found = lockedPackages(installed);
  return wanted.every(([folder, { version, optional }]) =>
    found[folder] === undefined ? optional === true : found[folder].version === version,
  );
}

/**
 * @param {string} lockFile
 * @returns {Record<string, { version?: string, optional?: boolean }>}
 */
function lockedPackages(lockFile) {
  return JSON.parse(readFileSync(lockFile, "utf8")).packages;
}

/** Installs what the build needs besides npm packages. */
async function ensureRustParts() {
  ensureRust();
  await ensureTarget(wasm);
  await ensureStandardLibrary();
  await ensureGlueTool();
}

function ensureRust() {
  // The folder of rustup, for a shell that has not read its new profile yet.
  const usual = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin");
  if (capture("cargo", ["--version"]) === undefined && existsSync(usual)) {
    process.env.PATH = `${usual}${delimiter}${process.env.PATH ?? ""}`;
  }
  const found = capture("rustc", ["--version"])?.match(/\d+\.\d+/)?.[0];
  if (found === undefined || capture("cargo", ["--version"]) === undefined) {
    throw new Failure(`Rust is needed and was not found: ${gettingRust}.`);
  }
  const wanted = readFileSync(inRepository("Cargo.toml"), "utf8").match(/^rust-version = "(\d+\.\d+)/m)?.[1];
  if (wanted !== undefined && isOlder(found, wanted)) {
    throw new Failure(`Rust ${wanted} or newer is needed and this is ${found}: get it with \`rustup update stable\`.`);
  }
}

/**
 * Installs a compilation target, unless it is installed (with or without rustup).
 * @param {string} target
 */
async function ensureTarget(target) {
  if (existsSync(inToolchain(target, "lib"))) {
    return;
  }
  log(`Adding the Rust target ${target} …`);
  needRustup(`to add the target ${target}`);
  await run("rustup", ["target", "add", target], {
    otherwise: `The target ${target} could not be added: try \`rustup target add ${target}\` yourself.`,
  });
}

/** Installs the source of the standard library, unless it is installed (with or without rustup). */
async function ensureStandardLibrary() {
  if (existsSync(inToolchain("src", "rust", "library", "Cargo.lock"))) {
    return;
  }
  log("Adding the source of Rust's standard library …");
  await addComponent("rust-src");
}

/** @param {string} component of the Rust toolchain */
async function addComponent(component) {
  needRustup(`to add ${component}`);
  await run("rustup", ["component", "add", component], {
    otherwise: `${component} could not be added: try \`rustup component add ${component}\` yourself.`,
  });
}

/** @param {string[]} path below the folder of the Rust toolchain that has its targets */
function inToolchain(...path) {
  return join(capture("rustc", ["--print", "sysroot"]) ?? "", "lib", "rustlib", ...path);
}

/** @param {string} purpose */
function needRustup(purpose) {
  if (capture("rustup", ["--version"]) === undefined) {
    throw new Failure(`rustup is needed ${purpose} and was not found: ${gettingRust}.`);
  }
}

const gettingRust =
  process.platform === "win32"
    ? "get it with `winget install Rustlang.Rustup`"
    : "get it with `curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh`";

/**
 * @param {string} version
 * @param {string} than
 */
function isOlder(version, than) {
  const [major, minor] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = than.split(".").map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

if (isStarted(import.meta.url)) {
  await script(() => setUp());
}
