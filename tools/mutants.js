/** The mutants: faults put into the pure parts one at a time, each of which the Rust tests have to notice. */

import { rmSync } from "node:fs";
import process from "node:process";
import { ensureCargoTool } from "./cargo-tool.js";
import { run, script } from "./command.js";
import { inRepository } from "./repository.js";
import { setUp } from "./setup.js";

const help = `npm run mutants                         tries one mutant in 31, about a hundred
npm run mutants -- --shard 1/31         those of another 31st, from 0 to 30
npm run mutants -- --file src/FILE.rs   those of a file; takes the other options of cargo-mutants, too`;

const packages = ["inspection-findings", "inspection-findings-columns"];

/** What is not pure, and what exists in tests only. */
const excluded = [
  ...["src/api.rs", "src/api/**", "src/js_string.rs", "src/transport/fetch.rs", "tests/**", "tools/**"],
  ...["src/simulation.rs", "src/simulation/**", "src/mock_host.rs", "src/mock_host/**"],
  ...["**/tests.rs", "**/reference.rs"],
];

await script(async () => {
  const given = process.argv.slice(2);
  const chosen = given.length > 0 ? given : ["--shard", "0/31"];
  await setUp();
  const output = inRepository("target", "mutants");
  rmSync(output, { recursive: true, force: true });
  const parameters = [
    ...["mutants", "--no-shuffle", "--output", output, ...chosen],
    ...(chosen.includes("--shard") ? ["--sharding", "round-robin"] : []),
    ...packages.flatMap((name) => ["--package", name]),
    ...excluded.flatMap((glob) => ["--exclude", glob]),
    // A test that takes this many seconds hangs: it has noticed the mutant.
    ...["--timeout", "150", "--", "--locked", "--lib"],
  ];
  await run(await ensureCargoTool({ name: "cargo-mutants", version: "27.1.0" }), parameters, {
    env: { SCHEDULES: "10000", PROPTEST_CASES: "256", PROPTEST_DISABLE_FAILURE_PERSISTENCE: "1" },
    otherwise: "A mutant was not noticed, or could not be tried: target/mutants/mutants.out/ says which.",
  });
}, help);
