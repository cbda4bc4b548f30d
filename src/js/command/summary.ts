// The summary of an inspection: its groups, each with the number of findings and the mean sentiment.

import type { FindingsClient } from "../entries/inline.js";
import type { FindingKind } from "../table/finding.js";
import type { Progress } from "./progress.js";

/** The column whose mean is printed. */
const SENTIMENT = "Sentiment";

export interface Group {
  /** The values of the columns that were asked for; undefined where the field is missing. */
  readonly key: readonly unknown[];
  readonly count: number;
  /** The mean sentiment; null for topic findings. */
  readonly mean: number | null;
}

export interface Summary {
  /** The largest first. */
  readonly groups: readonly Group[];
  /** Whether some values are integers beyond 2⁵³, so that different ones may be in one group. */
  readonly isRounded: boolean;
}

export interface Subject {
  readonly inspectionKey: string;
  readonly kind: FindingKind;
  readonly by: readonly string[];
}

/** Returns the groups. It holds only the columns that they need. */
export async function summaryOf(
  client: FindingsClient,
  { inspectionKey, kind, by }: Subject,
  signal: AbortSignal,
  progress: Progress,
): Promise<Summary> {
  const columns = [...new Set([...by, SENTIMENT])];
  const onProgress = ({ partitionsDone, partitions }: { partitionsDone: number; partitions: number }) =>
    progress.show(`${partitionsDone} of ${partitions} partitions`);
  const table = await client.loadTable(inspectionKey, kind, { columns, signal, onProgress });
  try {
    const names = new Set<string>(table.columns);
    const unknown = by.find((name) => table.length > 0 && !names.has(name));
    if (unknown !== undefined) {
      // The table has no other column. The error of a partition that has all names the column that was probably meant.
      for (const index of table.partitions) {
        const all = await client.loadPartition(inspectionKey, kind, index, { signal });
        all.countBy(unknown);
        all.free();
      }
      throw new Error(`no finding has a value in the column ${JSON.stringify(unknown)}`);
    }
    const groups = table.summarize(by, SENTIMENT);
    return {
      groups: groups.map(({ key, count, mean }) => ({ key, count, mean: Number.isNaN(mean) ? null : mean })),
      isRounded: table.integersRounded,
    };
  } finally {
    table.free();
  }
}
