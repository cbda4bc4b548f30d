/** The contenders: their names and their descriptions. */

/** The contender with which all others are compared. */
export const baseline = "promiseAll";

export const wording = /** @type {const} */ ({
  getFindings: "getFindings (this package)",
  loadTable: "loadTable (this package)",
  getFindingsInWorker: "getFindings, worker (this package)",
  loadTableInWorker: "loadTable, worker (this package)",
  sequential: "loop + response.json()",
  promiseAll: "Promise.all + response.json()",
  pMapAndKy: "p-map + ky",
  bytesOnly: "bytes only (the floor)",
});

/** @typedef {keyof typeof wording} ContenderName */

/**
 * The contenders of this build of the package.
 * @param {boolean} hasTable whether the package has tables
 */
export function contenderNames(hasTable) {
  const names = /** @type {ContenderName[]} */ (Object.keys(wording));
  return names.filter((name) => hasTable || !name.startsWith("loadTable"));
}
