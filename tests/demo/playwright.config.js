/** The configuration of the demo's tests: the built demo under a path of its own, and the development server. */

import { join } from "node:path";
import process from "node:process";
import { defineConfig } from "@playwright/test";
import { launchOptions } from "../../tools/browser.js";
import { freePort } from "../../tools/port.js";
import { root } from "../../tools/repository.js";

const vite = `"${process.execPath}" "${join(root, "node_modules", "vite", "bin", "vite.js")}"`;
const demo = `"${join(root, "www")}"`;
const [builtPort, developmentPort] = await ports();
const built = { port: builtPort, path: "/some/where/" };
const development = { port: developmentPort, path: "/" };

export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: join(root, "target", "demo-tests"),
  reporter: [["list"]],
  forbidOnly: true,
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: {
    browserName: "chromium",
    launchOptions: launchOptions(),
    viewport: { width: 1280, height: 800 },
    trace: "retain-on-failure",
  },
  projects: [
    { name: "built", use: { baseURL: address(built) } },
    { name: "development", testMatch: "load.spec.ts", grep: /@everywhere/, use: { baseURL: address(development) } },
  ],
  webServer: [
    {
      command: `${vite} preview ${demo} --base ${built.path} --host 127.0.0.1 --port ${built.port} --strictPort`,
      url: address(built),
    },
    { command: `${vite} ${demo} --host 127.0.0.1 --port ${development.port} --strictPort`, url: address(development) },
  ],
});

/** Two free ports, chosen once and passed to the worker processes. */
async function ports() {
  process.env.DEMO_TEST_PORTS ??= [await freePort(), await freePort()].join();
  return process.env.DEMO_TEST_PORTS.split(",").map(Number);
}

/** @param {{ port: number, path: string }} server */
function address({ port, path }) {
  return `http://127.0.0.1:${port}${path}`;
}
