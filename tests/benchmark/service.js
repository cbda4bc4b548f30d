/** The service of the benchmark, in a separate process, so that its time does not count. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Failure } from "../../tools/command.js";
import { findingsOf, partitions } from "./options.js";

/** @typedef {import("./run.js").Setting} Setting */
/** @typedef {{ url: string, findings: number }} Service `findings`: how many an inspection has */

/**
 * Limits the network of a service, for all its connections together; without a limit, it is the loopback again.
 * @param {Service} service
 * @param {number} [megabits] a second
 */
export async function limitNetwork({ url }, megabits = 0) {
  await fetch(`${url}limit/${megabits}`);
}

/**
 * Runs some work beside a service, once its bodies are prepared.
 * @template Result
 * @param {Pick<Setting, "page" | "options">} setting
 * @param {(service: Service) => Promise<Result>} work
 * @param {{ corpus?: string, findings?: number, partitions?: number, token?: boolean }} [other] than the setting has; `token`: whether
 *   each request has to carry one; a larger inspection repeats the partitions
 */
export async function withService({ page, options }, work, other = {}) {
  const { corpus = options.corpora[0] } = other;
  const { latency, bodies } = options;
  const settings = { page, latency, bodies, corpus, findings: findingsOf(options, corpus), partitions, ...other };
  const child = fork(fileURLToPath(new URL("serve.js", import.meta.url)), [JSON.stringify(settings)]);
  const [url] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => {
      throw new Failure("The service of the benchmark could not be started: see its message above.");
    }),
  ]);
  try {
    return await work({ url, findings: settings.findings });
  } finally {
    child.disconnect();
  }
}
