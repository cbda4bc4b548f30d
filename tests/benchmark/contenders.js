/** The contenders: their names and their descriptions. */

/** The contender with which all others are compared. */
export const baseline = "promiseAll";

export const wording = {
  getFindings: "getFindings (this package)",
  loadTable: "loadTable (this package)",
  getFindingsInPage: "getFindings, worker: false",
  loadTableInPage: "loadTable, worker: false",
  loadTableInWorker: "loadTable, worker: true",
  getFindingsOfColumns: "getFindings, three columns",
  loadTableOfColumns: "loadTable, three columns",
  getFindingsPatched: "getFindings, fetch is wrapped",
  loadTablePatched: "loadTable, fetch is wrapped",
  promiseAll: "Promise.all + response.json()",
  pMapAndKy: "p-map + ky",
  bytesOnly: "bytes only, arrayBuffer()",
};

/** @typedef {keyof typeof wording} ContenderName */

/** The columns of a dashboard. */
export const threeColumns = ["TopicGroup", "Sentiment", "Topic.Text"];

/** The contenders whose ratios count: this package without an option, and the baseline. */
export const defaults = /** @type {ContenderName[]} */ ([baseline, "getFindings", "loadTable"]);
