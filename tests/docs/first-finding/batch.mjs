// batch.mjs: waits until a batch is analysed
import { setTimeout as wait } from "node:timers/promises";
import { baseUrl, signIn } from "./session.mjs";

/**
 * @param {number} inspectionKey
 * @param {number} batchKey
 * @param {number} interval the milliseconds between two requests
 */
export async function untilAnalysed(inspectionKey, batchKey, interval = 10_000) {
  const { bearerToken } = await signIn();
  const url = new URL(`Batches/${inspectionKey}/${batchKey}`, baseUrl);
  for (;;) {
    const response = await fetch(url, { headers: { Authorization: bearerToken } });
    const { StatusCode, Status, FailureMessage, errors } = await response.json();
    if (errors) throw new Error(`${url}: status ${response.status}: ${errors}`);
    if (StatusCode === 4) return;
    if (StatusCode !== 3) throw new Error(`batch ${batchKey} is not being analysed: ${FailureMessage ?? Status}`);
    await wait(interval);
  }
}
