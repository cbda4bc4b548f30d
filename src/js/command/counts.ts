// The counts in a response, kind by kind: a command needs those of one kind, and the other kind's may be missing or wrong.

import { isObject } from "../core/host/member.js";
import type { KindCounts } from "../core/table/counts.js";
import type { FindingKind } from "../core/table/finding.js";

/** The counts of a kind. Throws if they are none. */
export function countsIn(body: unknown, kind: FindingKind): KindCounts {
  const counts = isObject(body) ? body : {};
  const name = kind === "sentiment" ? "Sentiment" : "Topic";
  const [partitions, findings] = [`${name}Partitions`, `${name}Findings`];
  for (const field of counts[findings] == null ? [partitions] : [partitions, findings]) {
    if (Number.isSafeInteger(counts[field]) && (counts[field] as number) >= 0) continue;
    throw new Error(
      `the counts of the service have no number ${field}. If it sends counts in another shape, convert them with readCounts, in a program`,
    );
  }
  return { partitions: counts[partitions] as number, findings: (counts[findings] as number | undefined) ?? null };
}

/** The option `readCounts` of a client that needs the counts of one kind. */
export function countsOf(kind: FindingKind): (body: unknown) => Record<FindingKind, KindCounts> {
  return (body) => ({ sentiment: NONE, topics: NONE, [kind]: countsIn(body, kind) });
}

/** The counts of a kind that nobody asks for. */
export const NONE: KindCounts = { partitions: 0, findings: 0 };
