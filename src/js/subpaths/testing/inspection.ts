// The inspection: the partitions of both kinds, given or invented.

import type { FindingKind, InspectionFinding } from "../../core/table/finding.js";
import type { Content } from "./body.js";
import type { FindingsSize } from "./fake-service.js";
import { inventFindings, type Which } from "./invented-findings.js";

/** The partitions of one kind. */
export interface Partitions extends FindingsSize {
  /** Returns the body of one partition, made when it is asked for. */
  content(index: number): Content;
  /** Returns all findings, as new objects. */
  all(): InspectionFinding[];
}

export type Inspection = Readonly<Record<FindingKind, Partitions>>;

/** Returns the fields of an `InspectionFindingsResponse`. */
export function countsOf({ sentiment, topics }: Inspection) {
  return {
    TopicPartitions: topics.partitions,
    TopicFindings: topics.findings,
    SentimentPartitions: sentiment.partitions,
    SentimentFindings: sentiment.findings,
    errors: null,
  };
}

/** Makes partitions of given findings, which are copied. */
export function partitionsFrom(lists: readonly (readonly object[])[]): Partitions {
  const texts = lists.map((findings) => JSON.stringify(findings));
  return {
    findings: lists.reduce((sum, { length }) => sum + length, 0),
    partitions: texts.length,
    content: (index) => () => `{"Findings":${texts[index]},"errors":null}`,
    all: () => texts.flatMap((text) => JSON.parse(text)),
  };
}

/** Makes partitions of invented findings. */
export function inventedPartitions(seed: number, kind: FindingKind, size: FindingsSize): Partitions {
  const { findings, partitions } = size;
  const which = (partitionIndex: number): Which => ({
    seed,
    kind,
    partitionIndex,
    count: partitionSize(size, partitionIndex),
  });
  return {
    findings,
    partitions,
    content: (index) => () => JSON.stringify({ Findings: inventFindings(which(index)), errors: null }),
    all: () => [...Array(partitions).keys()].flatMap((index) => inventFindings(which(index))),
  };
}

/** Returns the number of findings in a partition. The sizes differ by at most one and add up to the total. */
function partitionSize({ partitions, findings }: FindingsSize, index: number): number {
  return Math.floor(((index + 1) * findings) / partitions) - Math.floor((index * findings) / partitions);
}
