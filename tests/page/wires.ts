/** Wires that hold or refuse partitions, and what arrives over them. */

import type { LiveTable } from "inspection-findings";
import { vi } from "vitest";
import { refused, Wire } from "./wire.js";

/** The option of a call that collects. */
export const collect = { failurePolicy: "collect" } as const;

/** A wire that holds each partition, or those from an index on, until the test releases it. */
export function holding(partitions: number, from = 0) {
  return new Wire({ partitions, holds: ({ index }) => index >= from });
}

/** A wire that refuses the partitions with these indexes until the test repairs them. */
export function refusing(indexes: number[], partitions = 3) {
  const refusals = new Set(indexes);
  const wire = new Wire({ partitions, respond: ({ index }) => (refusals.has(index) ? refused(404) : undefined) });
  return { wire, refusals };
}

/** Releases a partition that is held, and returns the snapshot of a live table that has it. */
export async function arrive(live: LiveTable<any>, wire: Wire, index: number) {
  await vi.waitUntil(() => wire.open.some((asked) => asked.index === index));
  const { partitionsDone } = live.getSnapshot().progress;
  wire.release(index);
  await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone > partitionsDone);
  return live.getSnapshot();
}
