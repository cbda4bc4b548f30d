/** The configuration of the tests on the wire: a real browser, the one that `$ENGINE` names, and a real server, whose connections break on demand. */

import { defineConfig, mergeConfig } from "vitest/config";
import { inBrowser } from "../page/engine-provider.js";
import { mode } from "../tier.js";
import { controlWire, openWire } from "./server/wire.ts";

const own = defineConfig({
  root: import.meta.dirname,
  cacheDir: `../../target/vite/wire-${mode}`,
  test: {
    name: "on the wire",
    include: ["*.test.{js,ts}"],
    bail: 10,
    expect: { poll: { timeout: 50_000, interval: 10 } },
    browser: { commands: { openWire, controlWire } },
  },
});

export default mergeConfig(inBrowser, own);
