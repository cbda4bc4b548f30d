// The plain functions: each makes its call with a new client.

import { FindingsError } from "../error/error.js";
import type { CallFinding, Selected } from "../table/column-name.js";
import type { PartitionCounts } from "../table/counts.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../table/finding.js";
import { type Call, callOf } from "./call.js";
import { Calls } from "./calls.js";
import type { CountsOptions, FindingsOptions, PartitionOptions, WithColumns } from "./options.js";

/**
 * Fetches the numbers of partitions and findings of both kinds, with one request. The same as
 * {@link FindingsClient.getPartitionCounts} of a new client with these options.
 *
 * @example
 * const { topics } = await getPartitionCounts(42, { baseUrl: "https://service.example/cxi/" });
 */
export function getPartitionCounts(inspectionKey: InspectionKey, options?: CountsOptions): Promise<PartitionCounts> {
  return once(callOf("counts", { inspectionKey }, options, getPartitionCounts), (calls, call) => calls.counts(call));
}

/**
 * Fetches the findings of one partition, with one request. The same as
 * {@link FindingsClient.getPartition} of a new client with these options. With your own type and `columns`, each field of the findings may be missing:
 * TypeScript infers no names beside a type argument.
 *
 * @example
 * const findings = await getPartition(42, "topics", 0, { baseUrl: "https://service.example/cxi/" });
 */
export function getPartition<
  Finding = InspectionFinding,
  const Names extends readonly string[] = never,
  Kind extends FindingKind = FindingKind,
>(
  inspectionKey: InspectionKey,
  kind: Kind,
  partitionIndex: number,
  options?: WithColumns<PartitionOptions, Finding, Names>,
): Promise<CallFinding<Finding, Kind, Names>[]>;
export function getPartition<Finding = InspectionFinding>(
  inspectionKey: InspectionKey,
  kind: FindingKind,
  partitionIndex: number,
  options?: WithColumns<PartitionOptions, Finding, readonly string[]>,
): Promise<Selected<Finding, readonly string[]>[]>;
export function getPartition<Finding>(
  inspectionKey: InspectionKey,
  kind: FindingKind,
  partitionIndex: number,
  options?: PartitionOptions,
): Promise<Finding[]> {
  const target = { inspectionKey, kind, partitionIndex };
  return once(callOf("partition", target, options, getPartition), (calls, call) => calls.partition(call));
}

/**
 * Fetches all findings of one kind, in index order, or rejects with an error. The same as
 * {@link FindingsClient.getFindings} of a new client with these options. With your own type and `columns`, each field of the findings may be missing:
 * TypeScript infers no names beside a type argument.
 *
 * @example
 * const findings = await getFindings(42, "sentiment", { baseUrl: "https://service.example/cxi/" });
 */
export function getFindings<
  Finding = InspectionFinding,
  const Names extends readonly string[] = never,
  Kind extends FindingKind = FindingKind,
>(
  inspectionKey: InspectionKey,
  kind: Kind,
  options?: WithColumns<FindingsOptions, Finding, Names>,
): Promise<CallFinding<Finding, Kind, Names>[]>;
export function getFindings<Finding = InspectionFinding>(
  inspectionKey: InspectionKey,
  kind: FindingKind,
  options?: WithColumns<FindingsOptions, Finding, readonly string[]>,
): Promise<Selected<Finding, readonly string[]>[]>;
export function getFindings<Finding>(
  inspectionKey: InspectionKey,
  kind: FindingKind,
  options?: FindingsOptions,
): Promise<Finding[]> {
  return once(callOf("findings", { inspectionKey, kind }, options, getFindings), (calls, call) => calls.findings(call));
}

/** Makes a call with a client that makes no other. */
function once<Target, Result>(
  call: Call<Target>,
  run: (calls: Calls, call: Call<Target>) => Promise<Result>,
): Promise<Result> {
  // Its options are those of the client, too, so that they limit a call that resumes it.
  const calls = new Calls(call.options);
  const result = run(calls, call);
  const free = (outcome: unknown) => {
    // resume() needs this client. Garbage collection frees it later.
    if (!(outcome instanceof FindingsError && outcome.code === "partial")) calls.free();
  };
  result.then(free, free);
  return result;
}
