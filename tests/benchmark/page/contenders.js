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
  loadTableInWorker: loadTableWith({ worker: true }),
  getFindingsOfColumns: getFindingsWith({ columns: threeColumns }),
  loadTableOfColumns: loadTableWith({}, { columns: threeColumns }),
  getFindingsPatched: patched(getFindingsWith({})),
  loadTablePatched: patched(loadTableWith({})),
  promiseAll,
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

/**
 * A page that wraps the global fetch, as tracing libraries do.
 * @param {Contender} contender
 * @returns {Contender}
 */
function patched(contender) {
  return (...args) => {
    const { fetch } = globalThis;
    globalThis.fetch = (...request) => fetch(...request);
    return contender(...args).finally(() => Object.assign(globalThis, { fetch }));
  };
}

/** @param {Options} [options] */
function packageOptions({ token = false } = {}) {
  return token ? { headers: () => headers } : {};
}

/** @type {Contender} */
async function promiseAll(inspectionKey, options) {
  return (await readAll(inspectionKey, (response) => response.json(), options)).flatMap(findingsOf);
}

/** @type {Contender} */
async function pMapAndKy(inspectionKey, { token = false } = {}) {
  const service = ky.create({ baseUrl: document.baseURI, ...(token && { headers }) });
  const paths = partitionPaths(inspectionKey, await service.get(countsPath(inspectionKey)).json());
  return (await pMap(paths, (path) => service.get(path).json(), { concurrency: 6 })).flatMap(findingsOf);
}

/** The lower bound: fetches the bodies without decoding them. @type {Contender} */
async function bytesOnly(inspectionKey, options) {
  const bodies = await readAll(inspectionKey, (response) => response.arrayBuffer(), options);
  return { ...bodies, length: inspectionKey, byteLength: bodies.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}

/**
 * @template Body
 * @param {number} inspectionKey
 * @param {(response: Response) => Promise<Body>} read
 * @param {Options} [options]
 */
async function readAll(inspectionKey, read, { token = false } = {}) {
  const get = async (/** @type {string} */ path) => {
    const response = await fetch(path, token ? { headers } : {});
    if (!response.ok) throw new Error(`${path} was answered with status ${response.status}`);
    return response;
  };
  const paths = partitionPaths(inspectionKey, await (await get(countsPath(inspectionKey))).json());
  return Promise.all(paths.map(async (path) => read(await get(path))));
}

/** @param {{ Findings: object[] }} body */
function findingsOf({ Findings }) {
  return Findings;
}

/** @param {number} inspectionKey */
function countsPath(inspectionKey) {
  return `Findings/${inspectionKey}`;
}

/**
 * @param {number} inspectionKey
 * @param {any} counts
 */
function partitionPaths(inspectionKey, { SentimentPartitions }) {
  return Array.from({ length: SentimentPartitions }, (_, index) => `Findings/${inspectionKey}/Sentiment/${index}`);
}
