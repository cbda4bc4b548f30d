// The command `npx inspection-findings`. An older Node cannot parse the rest of it, so this file only checks the version.

import { readFileSync } from "node:fs";
import process from "node:process";

/** The oldest version of Node that runs the package. */
const OLDEST = 20;

if (Number.parseInt(process.versions.node, 10) < OLDEST) {
  process.stderr.write(`inspection-findings needs Node ${OLDEST} or later; this is Node ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  // Each write reports its own error.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  const { main } = await import("./main.js");
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  await main(process.argv.slice(2), version);
}
