// The endpoints of the service, by path. Paths are exact, including case and trailing slashes.

import type { FindingKind } from "../../core/table/finding.js";
import type { Sessions } from "./sessions.js";

/** An endpoint with its arguments. */
export type Endpoint = FindingsEndpoint | BatchEndpoint | SessionsEndpoint;

/** The counts or a partition of an inspection. */
export interface FindingsEndpoint {
  readonly name: "findings";
  readonly inspectionKey: string;
  /** Undefined for the counts. */
  readonly partition: { readonly kind: FindingKind; readonly index: number } | undefined;
}

/** The status of a batch. */
export interface BatchEndpoint {
  readonly name: "batch";
  readonly inspectionKey: string;
  readonly batchKey: string;
}

/** New sessions. */
interface SessionsEndpoint {
  readonly name: "sessions";
  readonly sessions: Sessions;
}

/** A canonical integer. */
const integer = "(?:0|-?[1-9][0-9]*)";

const counts = new RegExp(`^Findings/(${integer})$`);
const partition = new RegExp(`^Findings/(${integer})/(Sentiment|Topics)/(${integer})$`);
const batch = new RegExp(`^Batches/(${integer})/(${integer})$`);

/**
 * Reads a path relative to the base URL; undefined if no endpoint has it.
 *
 * @param sessions of the service; undefined if it has none, and no batches
 */
export function readEndpoint(path: string, sessions: Sessions | undefined): Endpoint | undefined {
  const [, inspectionKey] = counts.exec(path) ?? [];
  if (inspectionKey !== undefined) return { name: "findings", inspectionKey, partition: undefined };
  const [, key, kind, index] = partition.exec(path) ?? [];
  if (key !== undefined) {
    return {
      name: "findings",
      inspectionKey: key,
      partition: { kind: kind === "Topics" ? "topics" : "sentiment", index: Number(index) },
    };
  }
  if (sessions === undefined) return undefined;
  if (path === "Sessions") return { name: "sessions", sessions };
  const [, keyOfBatch, batchKey] = batch.exec(path) ?? [];
  return keyOfBatch === undefined || batchKey === undefined
    ? undefined
    : { name: "batch", inspectionKey: keyOfBatch, batchKey };
}
