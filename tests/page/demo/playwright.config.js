/** The configuration of the demo's tests: the built demo below a path. */

import { join } from "node:path";
import process from "node:process";
import { defineConfig } from "@playwright/test";
import { launchOptions } from "../../../tools/browser.js";
import { root } from "../../../tools/repository.js";
import { isQuick } from "../../tier.js";
import { freePort } from "../../wire/service/http-server.js";

const demo = `"${join(root, "www")}"`;
const port = await chosenPort();
const url = `http://127.0.0.1:${port}/some/where/`;

export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: join(root, "target", "demo-tests"),
  reporter: [["list"]],
  forbidOnly: true,
  workers: isQuick ? 2 : 1,
  ...(isQuick && { grepInvert: /@full/ }),
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: {
    browserName: "chromium",
    launchOptions: launchOptions(),
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    trace: isQuick ? "off" : "retain-on-failure",
  },
  webServer: {
    command: `vite preview ${demo} --base ${new URL(url).pathname} --host 127.0.0.1 --port ${port} --strictPort`,
    url,
  },
});

/** A free port, chosen once and passed to the worker processes. */
async function chosenPort() {
  process.env.DEMO_TEST_PORT ??= String(await freePort());
  return process.env.DEMO_TEST_PORT;
}
