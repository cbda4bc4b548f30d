// The endpoints of the service, by path. Paths are exact, including case and trailing slashes.

import type { FindingKind } from "../table/finding.js";

/** An endpoint with its arguments. */
export interface Endpoint {
  readonly inspectionKey: string;
  /** Undefined for the counts. */
  readonly partition: { readonly kind: FindingKind; readonly index: number } | undefined;
}

/** A canonical integer. */
const integer = "(?:0|-?[1-9][0-9]*)";

const counts = new RegExp(`^Findings/(${integer})$`);
const partition = new RegExp(`^Findings/(${integer})/(Sentiment|Topics)/(${integer})$`);

/** Reads a path relative to the base URL; undefined if no endpoint has it. */
export function readEndpoint(path: string): Endpoint | undefined {
  const [, inspectionKey] = counts.exec(path) ?? [];
  if (inspectionKey !== undefined) return { inspectionKey, partition: undefined };
  const [, key, kind, index] = partition.exec(path) ?? [];
  if (key === undefined) return undefined;
  return {
    inspectionKey: key,
    partition: { kind: kind === "Topics" ? "topics" : "sentiment", index: Number(index) },
  };
}
