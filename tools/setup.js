/**
 * The set-up: installs what is missing to build (`build`), to run the quick tier of the tests (`test`) or, unless one is named, for everything. Where
 * nothing has been built yet, it also compiles the module, while npm downloads.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { capture, Failure, run, script, tooOld } from "./command.js";
import { compileGlueTool, compileModule } from "./compile.js";
import { debian, findProgram } from "./programs.js";
import { glueTool, inRepository } from "./repository.js";

const [purpose = "all"] = process.argv.slice(2);

await script(async () => {
  const isFirst = !existsSync(glueTool);
  if (isFirst)
    console.log("The first build takes a minute on two cores, longer where downloads are slow, and 0.7 GB of disk.");
  // Side by side: some wait for the network, one for the compiler.
  const parts = await Promise.allSettled([ensurePackages(), ensureRust(isFirst), ensurePrograms()]);
  for (const part of parts) if (part.status === "rejected") throw part.reason;
});

/**
 * Installs the npm packages of the lock file: those of the build, all unless only the build is wanted, and Node where that of the machine is too old.
 */
async function ensurePackages() {
  const lock = readFileSync(inRepository("package-lock.json"), "utf8");
  const installed = inRepository("node_modules", ".installed-lock.json");
  // What is there stays, and Node has perhaps come with it.
  const has = (/** @type {string} */ name) => existsSync(inRepository("node_modules", name));
  const wanted = [
    "--workspace=tools/build",
    ...(purpose !== "build" || has("knip") ? ["--include-workspace-root"] : []),
    ...(isOld(process.version) || has("node") ? ["--workspace=tools/node"] : []),
  ];
  const content = [...wanted, lock].join("\n");
  if (existsSync(installed) && readFileSync(installed, "utf8") === content) return;
  console.log("Installing the npm packages (under a minute) …");
  await run("npm", ["ci", ...wanted, "--no-audit", "--no-fund", "--loglevel", "error"]);
  const version = capture("node", ["--version"]) ?? "";
  if (isOld(version)) throw new Failure(tooOld(version));
  writeFileSync(installed, content);
}

/** @param {string} version of Node */
function isOld(version) {
  const [, major = 0, minor = 0] = version.match(/^v(\d+)\.(\d+)/)?.map(Number) ?? [];
  return major < 22 || (major === 22 && minor < 18);
}

/** Installs the toolchain of `rust-toolchain.toml`, with its parts for the tests, and the tool that makes the glue. */
async function ensureRust(/** @type {boolean} */ isFirst) {
  if (capture("rustup", ["--version"]) === undefined) {
    throw new Failure(
      "Rust is needed and was not found: get it with `curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh`, and open a new shell.",
    );
  }
  await run("rustup", ["--quiet", "toolchain", "install", "--no-self-update"]);
  if (purpose !== "build") {
    const targets = ["wasm32-unknown-unknown", ...(purpose === "all" ? ["wasm32-wasip1"] : [])];
    await run("rustup", ["--quiet", "component", "add", "clippy", "rustfmt"]);
    await run("rustup", ["--quiet", "target", "add", ...targets]);
  }
  await Promise.all([compileGlueTool(), isFirst && compileModule("inspection-findings")]);
}

/** Installs the browsers of the tests where apt-get can be used. Elsewhere, the tests that need one say so. */
async function ensurePrograms() {
  if (purpose === "build" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  const missing = Object.entries(debian).filter(
    ([, { names, isQuick }]) => (isQuick || purpose !== "test") && findProgram(names) === undefined,
  );
  if (missing.length === 0) return;
  const packages = missing.map(([name]) => name);
  console.log(`Installing ${packages.join(", ")} with apt-get (under a minute) …`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update", "-qq"], { env });
  await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], { env });
}
