// The summary of an inspection: its groups, each with the number of findings and the mean sentiment, or a cross tabulation.

import type { FindingsClient } from "../entries/inline.js";
import { crosstab } from "../survey/crosstab.js";
import type { CrosstabResult } from "../survey/crosstab-result.js";
import type { FindingKind } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import type { Progress } from "./progress.js";

/** The column whose mean is printed. */
const SENTIMENT = "Sentiment";

export interface Group {
  /** The values of the columns that were asked for; undefined where the field is missing. */
  readonly key: readonly unknown[];
  readonly count: number;
  /** The number of distinct values, if they were asked for. */
  readonly distinct?: number;
  /** The mean sentiment; null for topic findings. */
  readonly mean: number | null;
}

/** What a summary has of some findings, and whether some values are integers beyond 2⁵³, so that different ones may be one. */
interface Summary<Result> {
  readonly result: Result;
  readonly isRounded: boolean;
}

export interface Subject {
  readonly inspectionKey: string;
  readonly kind: FindingKind;
  readonly by: readonly string[];
  /** The column whose distinct values are counted. */
  readonly distinct: string | undefined;
}

/** Returns the groups, the largest first. It holds only the columns that they need. */
export function groupsOf(
  client: FindingsClient,
  subject: Subject,
  signal: AbortSignal,
  progress: Progress,
): Promise<Summary<Group[]>> {
  const { by, distinct } = subject;
  const names = [...by, ...(distinct === undefined ? [] : [distinct])];
  return summaryOf(client, subject, names, signal, progress, (table) => {
    const aggregates = { mean: SENTIMENT, ...(distinct !== undefined && { distinct }) };
    const groups = table.summarize(by, aggregates) as unknown as (Group & { mean: number })[];
    return groups.map(({ mean, ...group }) => ({ ...group, mean: Number.isNaN(mean) ? null : mean }));
  });
}

/** Returns a cross tabulation: the values of the columns `by` in its rows, those of the column `across` in its columns. */
export function crosstabOf(
  client: FindingsClient,
  subject: Subject,
  across: string,
  signal: AbortSignal,
  progress: Progress,
): Promise<Summary<CrosstabResult>> {
  const { by, distinct } = subject;
  const names = [...by, across, ...(distinct === undefined ? [] : [distinct])];
  return summaryOf(client, subject, names, signal, progress, (table) => crosstab(table, by, across, { distinct }));
}

/** @param names the columns of the result */
async function summaryOf<Result>(
  client: FindingsClient,
  { inspectionKey, kind }: Subject,
  names: readonly string[],
  signal: AbortSignal,
  progress: Progress,
  summarize: (table: FindingsTable<unknown>) => Result,
): Promise<Summary<Result>> {
  const columns = [...new Set([...names, SENTIMENT])];
  const onProgress = ({ partitionsDone, partitions }: { partitionsDone: number; partitions: number }) =>
    progress.show(`${partitionsDone} of ${partitions} partitions`);
  const table = await client.loadTable(inspectionKey, kind, { columns, signal, onProgress });
  try {
    const known = new Set<string>(table.columns);
    const unknown = names.find((name) => table.length > 0 && !known.has(name));
    if (unknown !== undefined) {
      // The table has no other column. The error of a partition that has all names the column that was probably meant.
      for (const index of table.partitions) {
        const all = await client.loadPartition(inspectionKey, kind, index, { signal });
        all.countBy(unknown);
        all.free();
      }
      throw new Error(`no finding has a value in the column ${JSON.stringify(unknown)}`);
    }
    return { result: summarize(table), isRounded: table.integersRounded };
  } finally {
    table.free();
  }
}
