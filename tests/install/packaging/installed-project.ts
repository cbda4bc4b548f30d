/** A project with the package installed from its tarball, in a folder of its own under `target/`. */

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { inRepository } from "../../../tools/repository.js";
import { blocksIn, nameOf } from "../../docs/documents.js";
import { html } from "../package/project.js";
import { guides } from "./projects.js";

/** How long one command may take. */
const LIMIT = 300_000;

/** The settings of a user's shell: nothing of this test run, no questions, and no reports to the makers of the tools. */
const environment = {
  ...process.env,
  NODE_ENV: undefined,
  NODE_OPTIONS: undefined,
  NODE_TEST_CONTEXT: undefined,
  FORCE_COLOR: undefined,
  CI: "1",
  NO_COLOR: "1",
  ASTRO_TELEMETRY_DISABLED: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  NUXT_TELEMETRY_DISABLED: "1",
  WRANGLER_SEND_METRICS: "false",
  YARN_ENABLE_TELEMETRY: "0",
};

export type InstalledProject = Awaited<ReturnType<typeof installProject>>;

/**
 * Copies a project and installs what it needs. What an earlier run has installed by npm stays. Another package manager is installed by npm,
 * and installs the package in a folder inside, where nothing else is installed.
 */
export async function installProject(
  name: string,
  { installs, layers = [name], manifest: own, manager }: import("./projects.js").Project,
  tarball: string,
) {
  const outside = inRepository("target", "packaging", name);
  const folder = manager === undefined ? outside : join(outside, "project");
  mkdirSync(outside, { recursive: true });
  for (const entry of readdirSync(outside).filter((entry) => entry !== "node_modules")) {
    rmSync(join(outside, entry), { recursive: true });
  }
  const source = (layer: string) => inRepository("tests", "install", "packaging", layer);
  cpSync(source("common"), join(folder, "common"), { recursive: true });
  for (const layer of layers) {
    if (existsSync(source(layer))) cpSync(source(layer), folder, { recursive: true });
    for (const { name, code } of filesOf(layer)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), code);
    }
  }
  if (layers.includes("page") && !existsSync(join(folder, "index.html"))) {
    writeFileSync(join(folder, "index.html"), html("./main.js"));
  }
  const manifest = { private: true, type: "module", ...own };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(outside, "package.json"), JSON.stringify({ ...manifest, devDependencies: installs }));
  rmSync(join(outside, "node_modules", "inspection-findings"), { recursive: true, force: true });
  const running: Set<import("node:child_process").ChildProcess> = new Set();

  /** Starts a program of the project or of this machine. Its output goes to the file `output.txt`. */
  function start([program, ...parameters]: string[], variables: Record<string, string> = {}, cwd: string = folder) {
    const output = openSync(join(folder, "output.txt"), "a");
    const child = spawn(program, parameters, {
      cwd,
      env: { ...environment, PATH: programs(folder, outside), ...variables },
      stdio: ["ignore", output, output],
      // A group of its own: a server may have started processes, which end with it.
      detached: true,
    });
    running.add(child);
    child.on("close", () => running.delete(child));
    return child;
  }

  /** Runs a program to its end. */
  async function run(command: string[], variables?: Record<string, string>, cwd?: string) {
    const child = start(command, variables, cwd);
    const timer = setTimeout(() => end(child), LIMIT);
    const status = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
    clearTimeout(timer);
    if (status !== 0) {
      throw new Error(`\`${command.join(" ")}\` ended with status ${status}:\n${output()}`);
    }
  }

  /** The end of what the programs have printed. */
  function output() {
    const path = join(folder, "output.txt");
    return existsSync(path) ? readFileSync(path, "utf8").slice(-4000) : "";
  }

  // Its lock file also shows the tools where the project begins.
  const byNpm = ["npm", "install", "--no-audit", "--no-fund", "--prefer-offline"];
  await run(manager === undefined ? [...byNpm, tarball] : byNpm, {}, outside);
  if (manager !== undefined) await run(manager.split(" ").map((word) => word.replace("{tarball}", tarball)));
  return { folder, start, run, output, close: () => running.forEach(end) };
}

/** The blocks of the documentation that are files of a layer. */
function filesOf(layer: string) {
  const files = guides.flatMap(blocksIn).map((block) => ({ name: nameOf(block) ?? "", code: block.code }));
  return files
    .filter(({ name }) => name.startsWith(`${layer}/`))
    .map(({ name, code }) => ({ name: name.slice(layer.length + 1), code }));
}

/** Ends a process with those that it has started. */
function end(child: import("node:child_process").ChildProcess) {
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
}

function programs(...folders: string[]) {
  return [...folders.map((folder) => join(folder, "node_modules", ".bin")), process.env.PATH].join(delimiter);
}
