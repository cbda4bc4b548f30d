/** The contenders: ways to fetch all sentiment findings of an inspection, by this package and without it. */

import ky from "ky";
import pMap from "p-map";

/** @typedef {{ readonly length: number, free?: () => void }} Result all findings, in whatever form */
/** @typedef {(inspectionKey: number, headers?: Record<string, string>) => Promise<Result>} Contender */

/** The contender with which all others are compared. */
export const baseline = "Promise.all + response.json()";

/** The contenders without an option. */
export const defaults = [baseline, "getFindings", "loadTable"];

/** @type {Record<string, Contender>} */
export const contenders = {
  [baseline]: async (key, headers) => {
    const get = async (/** @type {string} */ path) => {
      const response = await fetch(path, { headers });
      if (!response.ok) throw new Error(`${path} was answered with status ${response.status}`);
      return response.json();
    };
    return (await Promise.all(pathsOf(key, await get(`Findings/${key}`)).map(get))).flatMap(findingsOf);
  },
  "p-map + ky": async (key, headers) => {
    const service = ky.create({ baseUrl: document.baseURI, headers });
    const paths = pathsOf(key, await service.get(`Findings/${key}`).json());
    return (await pMap(paths, (path) => service.get(path).json(), { concurrency: 6 })).flatMap(findingsOf);
  },
  getFindings: byPackage("getFindings"),
  loadTable: byPackage("loadTable"),
  "getFindings, worker: false": byPackage("getFindings", { worker: false }),
  "loadTable, worker: false": byPackage("loadTable", { worker: false }),
};

/**
 * A call of the package.
 * @param {"getFindings" | "loadTable"} call
 * @param {{ worker?: boolean }} [options]
 * @returns {Contender}
 */
function byPackage(call, options) {
  return async (key, headers) => {
    const { FindingsClient } = await import("inspection-findings");
    const client = new FindingsClient({ ...options, ...(headers && { headers: () => headers }) });
    return client[call](key, "sentiment");
  };
}

/** @param {any} body */
function findingsOf({ Findings }) {
  return Findings;
}

/**
 * @param {number} key
 * @param {any} counts
 */
function pathsOf(key, { SentimentPartitions }) {
  return Array.from({ length: SentimentPartitions }, (_, index) => `Findings/${key}/Sentiment/${index}`);
}
