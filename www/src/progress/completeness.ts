/** The completeness of what is shown: how many of the partitions have been received. */

import type { Progress } from "inspection-findings";
import { counted, number } from "../page/format.js";

/** “12 of 50 partitions”. */
export function partitionsOf({ partitionsDone, partitions }: Progress): string {
  return partitionsDone === partitions
    ? `All ${counted(partitions, "partition")}`
    : `${number(partitionsDone)} of ${counted(partitions, "partition")}`;
}

/** The share of the partitions received, from 0 to 1. */
export function shareOf({ partitionsDone, partitions }: Progress): number {
  return partitions === 0 ? 1 : partitionsDone / partitions;
}
