/** The set-up: installs what is missing to build (`build`), to run the quick tier of the tests (`test`) or, unless one is named, for everything. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { capture, Failure, run, script, tooOld } from "./command.js";
import { debian, findProgram } from "./programs.js";
import { glueTool, inRepository } from "./repository.js";

const [purpose] = process.argv.slice(2);

await script(async () => {
  if (!existsSync(glueTool)) console.log("The first build takes 5 to 7 minutes on two cores, and 1.3 GB of disk.");
  // Side by side: some wait for the network, one for the compiler.
  const parts = await Promise.allSettled([ensurePackages(), ensureRust(), ensurePrograms()]);
  for (const part of parts) if (part.status === "rejected") throw part.reason;
});

/** Installs the npm packages, on Linux with Node, unless exactly those of the lock file are installed. */
async function ensurePackages() {
  const lock = readFileSync(inRepository("package-lock.json"), "utf8");
  const installed = inRepository("node_modules", ".installed-lock.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === lock) return;
  console.log("Installing the npm packages (under a minute) …");
  await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel", "error"]);
  const version = capture("node", ["--version"]) ?? "";
  const [, major = 0, minor = 0] = version.match(/^v(\d+)\.(\d+)/)?.map(Number) ?? [];
  if (major < 22 || (major === 22 && minor < 18)) {
    throw new Failure(tooOld(version));
  }
  writeFileSync(installed, lock);
}

/** Installs the toolchain of `rust-toolchain.toml` with its parts, and the tool that makes the glue. */
async function ensureRust() {
  if (capture("rustup", ["--version"]) === undefined) {
    throw new Failure(
      "Rust is needed and was not found: get it with `curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh`, and open a new shell.",
    );
  }
  await run("rustup", ["--quiet", "toolchain", "install", "--no-self-update"]);
  if (!existsSync(glueTool)) console.log("Compiling wasm-bindgen's tool (a minute or two, only once) …");
  const folder = ["--target-dir", inRepository("target", "wasm-bindgen")];
  await run("cargo", ["build", "--profile", "tool", "--locked", "--package", "inspection-findings-glue", ...folder], {
    otherwise:
      "The wasm-bindgen tool could not be built: see cargo's message above. " +
      "A linker comes with `apt-get install gcc libc6-dev` or `xcode-select --install`.",
  });
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
