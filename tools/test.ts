/**
 * The tests: runs npm scripts, two at a time, with the output of each in one piece and that of failures last, and ends with the number of those that
 * passed and failed. The first script is the build. The second runs beside it; all others need it.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";

/** The milliseconds after which a script has hung. */
const longest = 2_400_000;

const [build, ...others] = process.argv.slice(2);
const [besideBuild] = others;
const start = performance.now();
const failures: string[] = [];
const table: string[] = [];

const built = run(build);
await Promise.all([built.then(lane), lane()]);

for (const output of failures) console.log(output);
console.log(`\n${table.join("\n")}\n\nThe tests took ${secondsSince(start)}.`);
console.log(`${table.length - failures.length} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Runs the scripts that no other lane has begun. */
async function lane() {
  for (let name = others.shift(); name !== undefined; name = others.shift()) {
    if (name === besideBuild || (await built)) await run(name);
    else ended(name, "0.0 s", `Not run, because ${build} failed.`);
  }
}

/** Runs a script, and resolves with whether it passed. */
async function run(name = "") {
  const begin = performance.now();
  console.log(`… ${name}`);
  // In an environment of CI, Vitest rejects a `.only` that was left behind.
  const env = {
    ...process.env,
    CI: "true",
    // Nothing is compiled twice, and what cargo would keep for that takes as much disk as what it compiles.
    CARGO_INCREMENTAL: "0",
    ...(process.stdout.isTTY && { FORCE_COLOR: "1", CARGO_TERM_COLOR: "always" }),
  };
  const child = spawn("npm", ["run", "--silent", name], { stdio: ["ignore", "pipe", "pipe"], env, timeout: longest });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const [status, signal] = await once(child, "close");
  return ended(
    name,
    secondsSince(begin),
    status === 0 ? undefined : `Ended with ${signal ?? `status ${status}`}.`,
    output,
  );
}

function ended(name: string, seconds: string, failure: string | undefined, output: string = "") {
  table.push(`${failure === undefined ? "✓" : "✗"} ${name.padEnd(20)} ${seconds.padStart(8)}`);
  const whole = `\n=== ${name} ===\n${output}--- ${name}: ${failure ?? "Passed."}`;
  if (failure === undefined) console.log(whole);
  else {
    console.log(`✗ ${name}: its output comes last`);
    failures.push(whole);
  }
  return failure === undefined;
}

function secondsSince(begin: number) {
  return `${((performance.now() - begin) / 1000).toFixed(1)} s`;
}
