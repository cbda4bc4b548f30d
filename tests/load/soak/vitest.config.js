/** The configuration of the soak: for `$MINUTES`, or else two thousand calls, with the random choices of `$SEED`. */

import process from "node:process";
import { defineConfig, mergeConfig } from "vitest/config";
import wire from "../../wire/vitest.config.js";

const { MINUTES: minutes = "0", SEED: seed = String(Math.floor(Math.random() * 2 ** 32)) } = process.env;

const own = defineConfig({
  root: import.meta.dirname,
  cacheDir: "../../../target/vite/soak",
  test: {
    name: "soak",
    testTimeout: (Number(minutes) + 5) * 60_000,
    provide: { soak: { minutes: Number(minutes) / 2, seed: Number(seed) } },
  },
});

export default mergeConfig(wire, own);
