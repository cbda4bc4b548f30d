/** The service of the benchmark, in a separate process, so that its time does not count. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Failure } from "../../tools/command.js";
import { findingsOf, partitions } from "./options.js";

/** @typedef {import("./run.js").Setting} Setting */
/** @typedef {{ url: string, findings: number }} Service `findings`: how many an inspection has */

/**
 * @typedef {object} Settings
 * @property {string} page the folder that is served beside the service
 * @property {string} corpus the name of the corpus of its texts
 * @property {number} latency milliseconds before each response
 * @property {import("./options.js").Bodies} bodies how they are sent
 * @property {boolean} token whether each request has to carry a token
 * @property {number} partitions number of prepared partitions; a larger inspection repeats them
 * @property {number} partitionSize findings of each partition
 */

/**
 * Runs some work beside a service, once its bodies are prepared.
 * @template Result
 * @param {Setting} setting
 * @param {(service: Service) => Promise<Result>} work
 * @param {{ corpus?: string, findings?: number, partitions?: number, token?: boolean }} [other] than the setting has
 */
export async function withService({ page, options }, work, other = {}) {
  const { corpus = options.corpora[0], token = false } = other;
  const { findings = findingsOf(options, corpus), partitions: prepared = partitions } = other;
  const { latency, bodies } = options;
  const partitionSize = findings / prepared;
  /** @type {Settings} */
  const settings = { page, corpus, latency, bodies, token, partitions: prepared, partitionSize };
  const child = fork(fileURLToPath(new URL("serve.js", import.meta.url)), [JSON.stringify(settings)]);
  const [url] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => {
      throw new Failure("The service of the benchmark could not be started: see its message above.");
    }),
  ]);
  try {
    return await work({ url, findings });
  } finally {
    child.disconnect();
  }
}
