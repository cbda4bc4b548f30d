/**
 * The mutants: faults put into the pure parts one at a time, each of which the Rust tests have to notice.
 *
 * `npm run mutants` draws a hundred, at the counts of `npm test`; `npm run mutants -- 20 --seed 7 --full` draws twenty others, at full counts.
 */

import { rmSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { Random } from "../tests/fake-backend/random.js";
import { haveCargoTool } from "./cargo-tool.js";
import { answer, Failure, follow, isStarted, say, script } from "./command.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";
import { tiers } from "./tiers.js";

const tool = { name: "cargo-mutants", version: "27.1.0" };

/** What is not pure, and what exists in tests only. */
const left = [
  ...["src/api.rs", "src/api/**", "src/js_string.rs", "src/transport/fetch.rs", "src/transport/fetch/**"],
  ...["src/simulation.rs", "src/simulation/**", "src/mock_host.rs", "src/mock_host/**", "src/**/tests.rs"],
];

/** What lists mutants and runs them alike. */
const drawn = ["mutants", "--workspace", ...left.flatMap((glob) => ["--exclude", glob])];

/** @typedef {{ count: number, seed: number, tier: import("./tiers.js").TierName }} Options */

if (isStarted(import.meta.url)) {
  await script(async () => {
    const { count, seed, tier } = readOptions(process.argv.slice(2));
    await setUp();
    const program = await haveCargoTool(tool);
    const all = (answer(program, [...drawn, "--list"]) ?? "").split("\n").filter(Boolean);
    const chosen = new Random(seed).someOf(all, count).toSorted();
    say(
      `${chosen.length} of ${all.length} mutants, drawn with seed ${seed}, at the counts of \`${tiers[tier].command}\`:`,
    );
    await tryOut(program, chosen, tiers[tier].environment);
  });
}

/**
 * @param {string[]} parameters
 * @returns {Options}
 */
export function readOptions(parameters) {
  const { positionals, values } = parse(parameters);
  const [count = "100", ...more] = positionals;
  if (more.length > 0) {
    throw new Failure("`npm run mutants` takes one number of mutants.");
  }
  return {
    count: wholeNumber(count, 1, "a number of mutants"),
    seed: wholeNumber(values.seed ?? "1", 0, "a seed"),
    tier: values.full ? "full" : "quick",
  };
}

/** @param {string[]} parameters */
function parse(parameters) {
  try {
    const options = /** @type {const} */ ({ seed: { type: "string" }, full: { type: "boolean" } });
    return parseArgs({ args: parameters, options, allowPositionals: true });
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}`);
  }
}

/**
 * @param {string} text
 * @param {number} least
 * @param {string} meaning
 */
function wholeNumber(text, least, meaning) {
  const number = /^\d+$/.test(text) ? Number(text) : -1;
  if (number < least || number >= 2 ** 32) {
    throw new Failure(`"${text}" is not ${meaning}.`);
  }
  return number;
}

/**
 * Tries each mutant on the tests of the libraries, and fails when one is not noticed.
 * @param {string} program
 * @param {string[]} mutants
 * @param {Record<string, string>} environment
 */
async function tryOut(program, mutants, environment) {
  const output = inRepository("target", "mutants");
  rmSync(output, { recursive: true, force: true });
  const named = mutants.flatMap((mutant) => ["--re", `^${mutant.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`]);
  const { status } = await follow(
    program,
    [...drawn, ...named, "--test-workspace=true", "--output", output, "--no-shuffle", "--", "--locked", "--lib"],
    { env: { ...environment, PROPTEST_DISABLE_FAILURE_PERSISTENCE: "1" } },
  );
  if (status !== 0) {
    throw new Failure("A mutant was not noticed, or could not be tried: see above and target/mutants/mutants.out/.");
  }
}
