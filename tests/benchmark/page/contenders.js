/** The contenders: ways to fetch all sentiment findings of an inspection, by this package and without it. */

import ky from "ky";
import pMap from "p-map";
import { threeColumns } from "../contenders.js";

/** @typedef {{ readonly length: number, readonly byteLength?: number }} Result all findings, in whatever form */
/** @typedef {{ token?: boolean }} Options `token`: whether every request carries one */
/** @typedef {(inspectionKey: number, options?: Options) => Promise<Result>} Contender */

const headers = { Authorization: "Bearer of the benchmark" };

/** @type {Record<import("../contenders.js").ContenderName, Contender>} */
export const contenders = {
  getFindings: getFindingsWith({}),
  loadTable: loadTableWith({}),
  getFindingsInPage: getFindingsWith({ worker: false }),
  loadTableInPage: loadTableWith({ worker: false }),
  getFindingsInWorker: getFindingsWith({ worker: true }),
  loadTableInWorker: loadTableWith({ worker: true }),
  getFindingsOfColumns: getFindingsWith({ columns: threeColumns }),
  loadTableOfColumns: loadTableWith({}, { columns: threeColumns }),
  promiseAll: promiseAllOf((response) => response.json()),
  promiseAllAndBlobs: promiseAllOf(async (response) => JSON.parse(await (await response.blob()).text())),
  pMapAndKy,
  bytesOnly,
};

/**
 * @param {{ worker?: boolean, columns?: string[] }} given
 * @returns {Contender}
 */
function getFindingsWith(given) {
  return async (inspectionKey, options) => {
    const { getFindings } = await import("inspection-findings");
    return getFindings(inspectionKey, "sentiment", { ...given, ...packageOptions(options) });
  };
}

/**
 * @param {{ worker?: boolean }} ofClient
 * @param {{ columns?: string[] }} [ofCall]
 * @returns {Contender}
 */
function loadTableWith(ofClient, ofCall) {
  return async (inspectionKey, options) => {
    const { FindingsClient } = await import("inspection-findings");
    const client = new FindingsClient({ ...ofClient, ...packageOptions(options) });
    return client.loadTable(inspectionKey, "sentiment", ofCall);
  };
}

/** @param {Options} [options] */
function packageOptions({ token = false } = {}) {
  return token ? { headers: () => headers } : {};
}

/**
 * @param {(response: Response) => Promise<any>} read
 * @returns {Contender}
 */
function promiseAllOf(read) {
  return async (inspectionKey, options) => {
    const { SentimentPartitions } = await (await get(countsPath(inspectionKey), options)).json();
    const partitions = await Promise.all(
      indexes(SentimentPartitions).map(async (index) => read(await get(partitionPath(inspectionKey, index), options))),
    );
    return partitions.flatMap(({ Findings }) => Findings);
  };
}

/** @type {Contender} */
async function pMapAndKy(inspectionKey, { token = false } = {}) {
  const service = ky.create({ baseUrl: document.baseURI, ...(token && { headers }) });
  const { SentimentPartitions } = await service.get(countsPath(inspectionKey)).json();
  const partitions = await pMap(
    indexes(SentimentPartitions),
    (index) => service.get(partitionPath(inspectionKey, index)).json(),
    { concurrency: 6 },
  );
  return partitions.flatMap(({ Findings }) => Findings);
}

/** The lower bound: fetches the bodies without decoding them. */
async function bytesOnly(/** @type {number} */ inspectionKey) {
  const { SentimentPartitions } = await (await get(countsPath(inspectionKey))).json();
  const bodies = await Promise.all(
    indexes(SentimentPartitions).map(async (index) => (await get(partitionPath(inspectionKey, index))).arrayBuffer()),
  );
  return { bodies, length: inspectionKey, byteLength: bodies.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}

/** @param {number} inspectionKey */
function countsPath(inspectionKey) {
  return `Findings/${inspectionKey}`;
}

/**
 * @param {string} path
 * @param {Options} [options]
 */
async function get(path, { token = false } = {}) {
  const response = await fetch(path, token ? { headers } : {});
  if (!response.ok) {
    throw new Error(`${path} was answered with status ${response.status}`);
  }
  return response;
}

/**
 * @param {number} inspectionKey
 * @param {number} index
 */
function partitionPath(inspectionKey, index) {
  return `Findings/${inspectionKey}/Sentiment/${index}`;
}

/** @param {number} count */
function indexes(count) {
  return Array.from({ length: count }, (_, index) => index);
}
