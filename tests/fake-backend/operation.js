/** The operations of the service: what a path asks for. Paths are exact, in their letters' case and to the last slash. */

/** @typedef {import("./findings.js").FindingKind} FindingKind */

/**
 * @typedef {object} Operation
 * @property {string} inspectionKey
 * @property {{ kind: FindingKind, index: number }} [partition] left out: the counts are asked for
 */

/** Only the plain way of writing an integer. */
const integer = "(?:0|-?[1-9][0-9]*)";

/** @type {readonly { pattern: RegExp, kind?: FindingKind }[]} */
const paths = [
  { pattern: new RegExp(`^Findings/(${integer})$`) },
  { pattern: new RegExp(`^Findings/(${integer})/Sentiment/(${integer})$`), kind: "sentiment" },
  { pattern: new RegExp(`^Findings/(${integer})/Topics/(${integer})$`), kind: "topics" },
];

/**
 * Whether a path is the service's to answer: also one that only looks like its operations, so that it is refused instead
 * of being looked for elsewhere.
 * @param {string} path relative to the base URL
 */
export function belongsToService(path) {
  return /^findings(\/|$)/i.test(path);
}

/**
 * @param {string} path relative to the base URL
 * @returns {Operation | undefined} undefined: there is no such operation
 */
export function readOperation(path) {
  for (const { pattern, kind } of paths) {
    const [, inspectionKey, index] = pattern.exec(path) ?? [];
    if (inspectionKey !== undefined) {
      return kind === undefined ? { inspectionKey } : { inspectionKey, partition: { kind, index: Number(index) } };
    }
  }
}
