/** The endpoints of the service, by path. Paths are exact, including case and trailing slashes. */

/**
 * @param {string} path relative to the base URL
 * @returns {{ inspectionKey: string, partition?: { kind: import("inspection-findings").FindingKind, index: number } } | undefined} undefined
 *   for a path without an endpoint; the counts have no partition
 */
export function readOperation(path) {
  const [, inspectionKey, kind, index] =
    /^Findings\/(0|-?[1-9]\d*)(?:\/(Sentiment|Topics)\/(0|-?[1-9]\d*))?$/.exec(path) ?? [];
  if (inspectionKey === undefined) return undefined;
  if (kind === undefined) return { inspectionKey };
  return { inspectionKey, partition: { kind: kind === "Topics" ? "topics" : "sentiment", index: Number(index) } };
}
