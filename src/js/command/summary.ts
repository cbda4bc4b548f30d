// The summary of an inspection: its groups, each with the number of findings and the mean sentiment.

import type { FindingsClient } from "../entries/inline.js";
import type { FindingKind } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import type { Progress } from "./progress.js";

/** The column whose mean is printed. */
const SENTIMENT = "Sentiment";

export interface Group {
  /** The values of the columns that were asked for. */
  readonly key: readonly unknown[];
  readonly count: number;
  /** The mean sentiment; null for topic findings. */
  readonly mean: number | null;
}

export interface Subject {
  readonly inspectionKey: string;
  readonly kind: FindingKind;
  readonly by: readonly string[];
}

/** The numbers of a group so far. */
interface Sums {
  readonly key: readonly unknown[];
  count: number;
  sum: number;
  numbers: number;
}

/** Returns the groups, the largest first. It holds a few partitions in memory, however large the inspection is. */
export async function summaryOf(
  client: FindingsClient,
  { inspectionKey, kind, by }: Subject,
  signal: AbortSignal,
  progress: Progress,
): Promise<Group[]> {
  const groups = new Map<string, Sums>();
  const known = new Set<string>();
  const columns = [...new Set([...by, SENTIMENT])];
  const onProgress = ({ partitionsDone, partitions }: { partitionsDone: number; partitions: number }) =>
    progress.show(`${partitionsDone} of ${partitions} partitions`);
  for await (const { table } of client.streamTables(inspectionKey, kind, { columns, signal, onProgress })) {
    for (const name of table.columns) known.add(name);
    add(groups, table, by);
    table.free();
  }
  const unknown = by.find((name) => groups.size > 0 && !known.has(name));
  if (unknown !== undefined) throw new Error(`no finding has a value in the column ${JSON.stringify(unknown)}`);
  return [...groups.values()]
    .sort((one, other) => other.count - one.count)
    .map(({ key, count, sum, numbers }) => ({ key, count, mean: numbers === 0 ? null : sum / numbers }));
}

/** Adds the groups of a partition. A column that the partition lacks has no value. */
function add(groups: Map<string, Sums>, table: FindingsTable<object>, by: readonly string[]): void {
  const names = new Set<string>(table.columns);
  const values = by.map((name) => (names.has(name) ? table.column(name) : undefined));
  const sentiments = names.has(SENTIMENT) ? table.column(SENTIMENT) : undefined;
  for (let row = 0; row < table.length; row++) {
    const key = values.map((column) => column?.[row]);
    const text = key.map((value) => JSON.stringify(value)).join();
    const group = groups.get(text) ?? { key, count: 0, sum: 0, numbers: 0 };
    groups.set(text, group);
    group.count++;
    const sentiment = sentiments?.[row];
    if (typeof sentiment !== "number") continue;
    group.sum += sentiment;
    group.numbers++;
  }
}
