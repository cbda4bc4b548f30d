/** The mutants: faults put into the pure parts one at a time, each of which the Rust tests have to notice. */

import { rmSync } from "node:fs";
import process from "node:process";
import { ensureCargoTool } from "./cargo-tool.js";
import { Failure, isStarted, run, script } from "./command.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";
import { tiers } from "./tiers.js";

const help = `npm run mutants                   tries one mutant in nineteen, about a hundred
npm run mutants -- GROUP          those of another nineteenth, from 0 to 18
npm run mutants -- --full         the tests have the counts of the full tier`;

const tool = { name: "cargo-mutants", version: "27.1.0" };

/** What is not pure, and what exists in tests only. */
const excluded = [
  ...["src/api.rs", "src/api/**", "src/js_string.rs", "src/transport/fetch.rs"],
  ...[
    "src/simulation.rs",
    "src/simulation/**",
    "src/mock_host.rs",
    "src/mock_host/**",
    "**/tests.rs",
    "**/reference.rs",
  ],
  ...["tests/**", "tools/**"],
];

/** The number of groups. Mutants are dealt out to them in the order of their places in the code. */
const groups = 19;

/** Seconds after which a test hangs, and has noticed the mutant. */
const timeout = 150;

/** @typedef {{ group: number, tier: import("./tiers.js").TierName }} Choice */

if (isStarted(import.meta.url)) {
  await script(async () => {
    const choice = readChoice(process.argv.slice(2));
    await setUp();
    await tryMutants(await ensureCargoTool(tool), choice);
  }, help);
}

/**
 * @param {string[]} parameters
 * @returns {Choice}
 */
export function readChoice(parameters) {
  const numbers = parameters.filter((parameter) => parameter !== "--full");
  const [group = "0"] = numbers;
  if (numbers.length > 1 || !/^\d+$/.test(group) || Number(group) >= groups) {
    throw new Failure(`\`npm run mutants\` takes the number of a group, from 0 to ${groups - 1}, and --full.`);
  }
  return { group: Number(group), tier: parameters.includes("--full") ? "full" : "quick" };
}

/**
 * @param {string} program
 * @param {Choice} choice
 */
async function tryMutants(program, { group, tier }) {
  const output = inRepository("target", "mutants");
  rmSync(output, { recursive: true, force: true });
  const packages = ["inspection-findings", "inspection-findings-columns"].flatMap((name) => ["--package", name]);
  await run(
    program,
    [
      ...["mutants", ...packages, ...excluded.flatMap((glob) => ["--exclude", glob])],
      ...["--shard", `${group}/${groups}`, "--sharding", "round-robin", "--no-shuffle"],
      ...["--timeout", `${timeout}`, "--output", output, "--", "--locked", "--lib"],
    ],
    {
      env: { ...tiers[tier].environment, PROPTEST_DISABLE_FAILURE_PERSISTENCE: "1" },
      otherwise: "A mutant was not noticed, or could not be tried: target/mutants/mutants.out/ says which.",
    },
  );
}
