/** The environment of a measurement: the machine and the versions. */

import { readFileSync } from "node:fs";
import { availableParallelism, cpus, platform, release, totalmem } from "node:os";
import process from "node:process";
import { capture } from "../../tools/command.js";
import { inRepository } from "../../tools/repository.js";

export function describeMachine() {
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memory: totalmem(),
    system: `${platform()} ${release()}`,
  };
}

/**
 * @param {Record<string, string>} browser its version by its name
 * @returns {Record<string, string>}
 */
export function describeVersions(browser) {
  const packages = ["ky", "p-map", "playwright-core", "vite"];
  return {
    "inspection-findings": versionIn("package.json"),
    commit: capture("git", ["describe", "--always", "--dirty"]) ?? "unknown",
    ...browser,
    node: process.version,
    ...Object.fromEntries(packages.map((name) => [name, versionIn("node_modules", name, "package.json")])),
  };
}

/** @param {...string} path of a manifest */
function versionIn(...path) {
  return JSON.parse(readFileSync(inRepository(...path), "utf8")).version;
}
