/** The service of the benchmark, in a separate process, so that its time does not count. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Failure } from "../../tools/command.js";

/**
 * @typedef {object} Settings
 * @property {string} page the folder that is served beside the service
 * @property {string} corpus the name of the corpus of its texts
 * @property {number} latency milliseconds before each response
 * @property {number} partitions number of prepared partitions; a larger inspection repeats them
 * @property {number} partitionSize findings of each partition
 */

/**
 * Starts the service once its bodies are prepared.
 * @param {Settings} settings
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function startService(settings) {
  const child = fork(fileURLToPath(new URL("serve.js", import.meta.url)), [JSON.stringify(settings)]);
  const [url] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => {
      throw new Failure("The service of the benchmark could not be started: see its message above.");
    }),
  ]);
  return { url, close: () => child.disconnect() };
}
