/** The set-up: installs what the build and the tests need, unless it is installed. */

import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { ensureGlueTool } from "./bindings.js";
import { capture, Failure, log, run } from "./command.js";
import { ensureNode } from "./node.js";
import { inRepository } from "./repository.js";

/**
 * Installs what the build needs.
 * @param {(() => Promise<void>)[]} [others] install something else beside it
 */
export async function setUp(others = []) {
  await ensureNode();
  // Side by side: some wait for the network, one for the compiler.
  const parts = [ensurePackages, ensureRustParts, ...others].map((ensure) => ensure());
  for (const part of await Promise.allSettled(parts)) if (part.status === "rejected") throw part.reason;
}

/**
 * Installs what only the tests need: Rust's formatter, its linter, and the target for tests with 32 bits.
 * @param {import("./tiers.js").TierName} tier
 */
export async function setUpChecks(tier) {
  if (tier === "full") await rustup("target", "add", "wasm32-wasip1");
  await rustup("component", "add", "clippy", "rustfmt");
}

/** Installs the npm packages unless exactly those of the lock file are installed. */
async function ensurePackages() {
  if (packagesAreThere()) return;
  log("Installing the npm packages (under a minute) …");
  await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel", "error"]);
}

function packagesAreThere() {
  const installed = inRepository("node_modules", ".package-lock.json");
  if (!existsSync(installed)) return false;
  const found = lockedPackages(installed);
  return Object.entries(lockedPackages(inRepository("package-lock.json"))).every(
    ([folder, { version, optional }]) =>
      folder === "" || (found[folder] ? found[folder].version === version : optional),
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
  if (capture("rustup", ["--version"]) === undefined) {
    // The folder of rustup, for a shell that has not read its new profile yet.
    const usual = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin");
    process.env.PATH = [usual, process.env.PATH].join(delimiter);
  }
  if (capture("cargo", ["--version"]) === undefined) {
    throw new Failure(
      "Rust is needed and was not found: get it with `curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh`.",
    );
  }
  await rustup("target", "add", "wasm32-unknown-unknown");
  await rustup("component", "add", "rust-src");
  await ensureGlueTool();
}

/**
 * Adds parts to the Rust toolchain, unless it has them.
 * @param {...string} words
 */
function rustup(...words) {
  return run("rustup", ["--quiet", ...words]);
}
