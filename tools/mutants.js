/** The mutants: faults put into the pure parts one at a time, each of which the Rust tests have to notice. */

import { rmSync } from "node:fs";
import process from "node:process";
import { ensureCargoTool } from "./cargo-tool.js";
import { Failure, run, script } from "./command.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";

const help = `npm run mutants                   tries one mutant in nineteen, about a hundred
npm run mutants -- GROUP          those of another nineteenth, from 0 to 18`;

const tool = { name: "cargo-mutants", version: "27.1.0" };

const packages = ["inspection-findings", "inspection-findings-columns"];

/** What is not pure, and what exists in tests only. */
const excluded = [
  ...["src/api.rs", "src/api/**", "src/js_string.rs", "src/transport/fetch.rs", "tests/**", "tools/**"],
  ...[
    "src/simulation.rs",
    "src/simulation/**",
    "src/mock_host.rs",
    "src/mock_host/**",
    "**/tests.rs",
    "**/reference.rs",
  ],
];

/** The number of groups. Mutants are dealt out to them in the order of their places in the code. */
const groups = 19;

/** Seconds after which a test hangs, and has noticed the mutant. */
const timeout = 150;

await script(async () => {
  const [group = "0", ...more] = process.argv.slice(2);
  if (more.length > 0 || !/^\d+$/.test(group) || Number(group) >= groups) {
    throw new Failure(`\`npm run mutants\` takes the number of a group, from 0 to ${groups - 1}.`);
  }
  await setUp();
  const output = inRepository("target", "mutants");
  rmSync(output, { recursive: true, force: true });
  const parameters = [
    ...[
      "mutants",
      ...packages.flatMap((name) => ["--package", name]),
      ...excluded.flatMap((glob) => ["--exclude", glob]),
    ],
    ...["--shard", `${group}/${groups}`, "--sharding", "round-robin", "--no-shuffle"],
    ...["--timeout", `${timeout}`, "--output", output, "--", "--locked", "--lib"],
  ];
  await run(await ensureCargoTool(tool), parameters, {
    env: { SCHEDULES: "10000", PROPTEST_CASES: "256", PROPTEST_DISABLE_FAILURE_PERSISTENCE: "1" },
    otherwise: "A mutant was not noticed, or could not be tried: target/mutants/mutants.out/ says which.",
  });
}, help);
