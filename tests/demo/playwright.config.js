/**
 * How the demo is tested: served as `npm run build:demo` has built it, under a path of its own, and once more from the development server.
 */

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

/** Two ports that are free: chosen once, and handed on to the processes that run the tests. */
async function ports() {
  process.env.DEMO_TEST_PORTS ??= [await freePort(), await freePort()].join();
  return process.env.DEMO_TEST_PORTS.split(",").map(Number);
}

/** @param {{ port: number, path: string }} server */
function address({ port, path }) {
  return `http://127.0.0.1:${port}${path}`;
}
