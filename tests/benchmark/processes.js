/** The processes of the browser, as Linux counts their time: all that this one has started, but not the service. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";

/** What is no part of the browser: the service, and the display of WebKitGTK. */
const others = /benchmark\/service\.js|Xvfb/;

/** The milliseconds of processor time of all their threads so far; NaN on other systems than Linux. */
export function processorTime() {
  if (!existsSync("/proc/self/schedstat")) return Number.NaN;
  const threads = browserProcesses().flatMap((folder) => filesIn(`${folder}/task`));
  const nanoseconds = threads.map((folder) => Number(textOf(`${folder}/schedstat`).split(" ")[0]));
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** The folders of the processes below one. @returns {string[]} */
function browserProcesses(parent = process.pid) {
  const children = filesIn(`/proc/${parent}/task`).flatMap(
    (thread) => textOf(`${thread}/children`).match(/\d+/g) ?? [],
  );
  return children
    .filter((id) => !others.test(textOf(`/proc/${id}/cmdline`)))
    .flatMap((id) => [`/proc/${id}`, ...browserProcesses(Number(id))]);
}

/** What a folder contains; nothing if its process has ended. @param {string} folder */
function filesIn(folder) {
  return existsSync(folder) ? readdirSync(folder).map((name) => `${folder}/${name}`) : [];
}

/** The text of a file; empty if its process has ended. @param {string} file */
function textOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
