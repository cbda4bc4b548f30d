/** Runs the bundle in Hermes, and expects the message of its error. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import process from "node:process";

const systems = { linux: "linux64-bin", darwin: "osx-bin" };
const hermes = `node_modules/hermes-engine-cli/${systems[process.platform]}/hermes`;
const printed = execFileSync(hermes, ["-w", "-Xes6-promise", "-Xmicrotask-queue", "bundle.js"], { encoding: "utf8" });
assert.match(printed, /^load: .*Hermes, the JavaScript engine of React Native, has no WebAssembly/);
