/** Fuzzing: decodes generated bodies, and fails if the decoder disagrees with its reference. */

import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { relative } from "node:path";
import process from "node:process";
import { capture, endOf, Failure, log, run, script } from "./command.js";
import { inRepository, root } from "./repository.js";
import { setUp } from "./setup.js";

const toolchain = "nightly";
const crate = inRepository("tests", "fuzz");
const corpus = inRepository("tests", "fuzz", "corpus", "decode");
const built = inRepository("target", "fuzz");
const learned = inRepository("target", "fuzz", "corpus", "decode");
const artefacts = inRepository("target", "artefacts", "fuzz");
const installed = inRepository("target", "cargo-fuzz");
const tool = inRepository("target", "cargo-fuzz", "bin", "cargo-fuzz");

/** The limits of an input in bytes and in seconds: the corpus stays small, and a body that takes seconds is a failure. */
const limits = ["-max_len=4096", "-timeout=10"];

const help = `npm run fuzz                      for a minute; leaves new inputs in target/
npm run fuzz -- SECONDS           for another time
npm run fuzz -- FILE              decodes one input again
npm run fuzz -- keep              adds to the committed corpus the new inputs that reach more code`;

await script(async () => {
  const work = chosenWork(process.argv.slice(2));
  await setUp();
  await ensureToolchain();
  await ensureTool();
  await work(await buildTarget());
}, help);

/**
 * Parses the command line.
 * @param {string[]} parameters
 * @returns {(program: string) => Promise<void>}
 */
function chosenWork([parameter = "60", ...more]) {
  if (more.length > 0) {
    throw new Failure("`npm run fuzz` takes one thing: a number of seconds, a file, or `keep`.");
  }
  if (parameter === "keep") {
    return keep;
  }
  if (existsSync(parameter)) {
    return (program) => decodeAgain(program, parameter);
  }
  const seconds = Number(parameter);
  // libFuzzer takes 0 seconds for no limit.
  if (!Number.isSafeInteger(seconds) || seconds < 1) {
    throw new Failure(`"${parameter}" is neither a number of seconds nor a file.`);
  }
  return (program) => fuzz(program, seconds);
}

/** Installs the compiler that can instrument code, unless it is installed. */
async function ensureToolchain() {
  if (process.platform === "win32") {
    throw new Failure("The fuzzer runs on Linux and macOS only: run it in the Windows Subsystem for Linux.");
  }
  if (capture("c++", ["--version"]) === undefined) {
    const getting = process.platform === "darwin" ? "xcode-select --install" : "apt-get install g++";
    throw new Failure(`A C++ compiler is needed and was not found: get it with \`${getting}\`.`);
  }
  if (capture("rustup", ["--version"]) === undefined) {
    throw new Failure(
      `rustup is needed to get Rust's ${toolchain} toolchain and was not found: see https://rustup.rs.`,
    );
  }
  if (capture("rustup", ["run", toolchain, "cargo", "--version"]) === undefined) {
    log(`Adding Rust's ${toolchain} toolchain …`);
    await run("rustup", ["toolchain", "install", toolchain, "--profile", "minimal", "--no-self-update"], {
      otherwise: `The ${toolchain} toolchain could not be added: try \`rustup toolchain install ${toolchain}\` yourself.`,
    });
  }
}

/** Installs cargo-fuzz in `target/`, unless it is installed. */
async function ensureTool() {
  if (existsSync(tool)) {
    return;
  }
  log("Installing cargo-fuzz (a few minutes) …");
  await run("cargo", ["install", "--locked", "cargo-fuzz", "--root", installed, "--quiet"], {
    otherwise: "cargo-fuzz could not be installed: see cargo's message above.",
  });
}

/** Builds the instrumented program, and returns its path. */
async function buildTarget() {
  log("Building the fuzz target (a few minutes the first time) …");
  const host = capture("rustup", ["run", toolchain, "rustc", "-vV"])?.match(/^host: (.+)$/m)?.[1] ?? "";
  const parameters = ["build", "--fuzz-dir", crate, "--target-dir", built, "--target", host, "decode"];
  await run("rustup", ["run", toolchain, tool, "fuzz", ...parameters], {
    otherwise: "The fuzz target could not be built: see cargo's message above.",
  });
  return inRepository("target", "fuzz", host, "release", "decode");
}

/**
 * Tries inputs for a number of seconds, starting from the corpus and the inputs of earlier runs.
 * @param {string} program
 * @param {number} seconds
 */
async function fuzz(program, seconds) {
  mkdirSync(learned, { recursive: true });
  mkdirSync(artefacts, { recursive: true });
  log(`Decoding for ${seconds} s …`);
  const words = [
    ...[program, ...limits],
    `-max_total_time=${seconds}`,
    `-dict=${inRepository("tests", "fuzz", "decode.dict")}`,
    `-artifact_prefix=${artefacts}/`,
    "-print_final_stats=1",
    // libFuzzer writes new inputs to the first folder.
    ...[learned, corpus],
  ];
  let output = "";
  const end = await endOf(words, (text) => {
    output += text;
    process.stdout.write(text);
  });
  if (end !== "status 0") {
    throw new Failure(`The fuzzing ended with an error (see above)${howToReplay(output)}.`);
  }
  log(`\nNo input failed. ${readdirSync(learned).length} inputs are in ${fromRoot(learned)}.`);
}

/** @param {string} output */
function howToReplay(output) {
  const artefact = output.match(/Test unit written to (.+)/)?.[1];
  return artefact === undefined ? "" : `: decode that input again with \`npm run fuzz -- ${fromRoot(artefact)}\``;
}

/**
 * Decodes one input.
 * @param {string} program
 * @param {string} file
 */
async function decodeAgain(program, file) {
  await run(program, [...limits, file], { otherwise: `${file} fails: see above.` });
  log(`\n${file} is decoded as it should be.`);
}

/**
 * Adds the fewest inputs with which the corpus reaches all code that any input has reached.
 * @param {string} program
 */
async function keep(program) {
  mkdirSync(learned, { recursive: true });
  // Ignores how often code is reached, which would keep several times as many inputs.
  await run(program, [...limits, "-set_cover_merge=1", "-use_counters=0", corpus, learned], {
    otherwise: "The corpora could not be merged: see above.",
  });
  log(`\n${readdirSync(corpus).length} inputs are in ${fromRoot(corpus)}.`);
}

/** @param {string} path */
function fromRoot(path) {
  return relative(root, path);
}
