/** The soak test: calls in a page and in a worker, for a time of your choice. */

import process from "node:process";
import { build } from "./build.js";
import { Failure, script } from "./command.js";
import { setUp } from "./setup.js";

const help = `npm run soak                      a thousand calls
npm run soak -- MINUTES           as many as take so long
SEED=S npm run soak …             makes the random choices of an earlier run again`;

await script(async () => {
  const [minutes] = process.argv.slice(2).map(Number);
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
  if (!(minutes === undefined || minutes > 0) || !Number.isInteger(seed)) {
    throw new Failure(`The minutes or the seed are no number.\n${help}`);
  }
  await setUp();
  await build();
  // Imported late, because it needs the packages that the set-up installs.
  const { runSoak } = await import("../tests/soak/run.js");
  const isSound = await runSoak({ minutes, seed });
  process.exitCode = isSound ? 0 : 1;
}, help);
