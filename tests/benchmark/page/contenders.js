/** The contenders: ways to fetch all sentiment findings of an inspection, by this package and without it. */

import ky from "ky";
import pMap from "p-map";

/** @typedef {{ readonly length: number, readonly byteLength?: number }} Result all findings, in whatever form */
/** @typedef {{ concurrency?: number, worker?: boolean }} PackageOptions of this package, for its own contenders */
/** @typedef {(inspectionKey: number, options?: PackageOptions) => Promise<Result>} Contender */

/** @type {Record<import("../contenders.js").ContenderName, Contender>} */
export const contenders = {
  getFindings,
  loadTable,
  getFindingsInWorker: (inspectionKey) => getFindings(inspectionKey, { worker: true }),
  loadTableInWorker: (inspectionKey) => loadTable(inspectionKey, { worker: true }),
  sequential,
  promiseAll,
  pMapAndKy,
  bytesOnly,
};

/** @type {Contender} */
async function getFindings(inspectionKey, options) {
  const { getFindings } = await import("inspection-findings");
  return getFindings(inspectionKey, "sentiment", options);
}

/** @type {Contender} */
async function loadTable(inspectionKey, options) {
  const { FindingsClient } = await import("inspection-findings");
  /** @type {any} Only newer builds have tables, and this compares builds. */
  const client = new FindingsClient(options);
  return client.loadTable(inspectionKey, "sentiment");
}

/** @type {Contender} */
async function sequential(inspectionKey) {
  const { SentimentPartitions } = await getJson(countsPath(inspectionKey));
  const findings = [];
  for (let index = 0; index < SentimentPartitions; index++) {
    const partition = await getJson(partitionPath(inspectionKey, index));
    for (const finding of partition.Findings) {
      findings.push(finding);
    }
  }
  return findings;
}

/** @type {Contender} */
async function promiseAll(inspectionKey) {
  const { SentimentPartitions } = await getJson(countsPath(inspectionKey));
  const partitions = await Promise.all(
    indexes(SentimentPartitions).map((index) => getJson(partitionPath(inspectionKey, index))),
  );
  return partitions.flatMap(({ Findings }) => Findings);
}

/** @type {Contender} */
async function pMapAndKy(inspectionKey) {
  const service = ky.create({ baseUrl: document.baseURI });
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
  const { SentimentPartitions } = await getJson(countsPath(inspectionKey));
  const bodies = await getBodies(inspectionKey, SentimentPartitions);
  return { bodies, length: inspectionKey, byteLength: bodies.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}

/**
 * The bodies of an inspection's first partitions.
 * @param {number} inspectionKey
 * @param {number} partitions
 * @returns {Promise<ArrayBuffer[]>}
 */
function getBodies(inspectionKey, partitions) {
  return Promise.all(
    indexes(partitions).map(async (index) => (await get(partitionPath(inspectionKey, index))).arrayBuffer()),
  );
}

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
async function getJson(path) {
  return (await get(path)).json();
}

/** @param {number} inspectionKey */
function countsPath(inspectionKey) {
  return `Findings/${inspectionKey}`;
}

/** @param {string} path */
async function get(path) {
  const response = await fetch(path);
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
