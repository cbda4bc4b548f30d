/** The operations of the service, by path. Paths are exact, including case and trailing slashes. */

/** @typedef {import("inspection-findings").FindingKind} FindingKind */

/**
 * @typedef {object} Operation
 * @property {string} inspectionKey
 * @property {{ kind: FindingKind, index: number }} [partition] undefined for the counts
 */

/** A canonical integer. */
const integer = "(?:0|-?[1-9][0-9]*)";

/** @type {readonly { pattern: RegExp, kind?: FindingKind }[]} */
const paths = [
  { pattern: new RegExp(`^Findings/(${integer})$`) },
  { pattern: new RegExp(`^Findings/(${integer})/Sentiment/(${integer})$`), kind: "sentiment" },
  { pattern: new RegExp(`^Findings/(${integer})/Topics/(${integer})$`), kind: "topics" },
];

/**
 * @param {string} path relative to the base URL
 * @returns {Operation | undefined} undefined for a path without an operation
 */
export function readOperation(path) {
  for (const { pattern, kind } of paths) {
    const [, inspectionKey, index] = pattern.exec(path) ?? [];
    if (inspectionKey !== undefined) {
      return kind === undefined ? { inspectionKey } : { inspectionKey, partition: { kind, index: Number(index) } };
    }
  }
}
