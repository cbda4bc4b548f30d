// The summary of an inspection: its groups, each with the number of findings and the mean sentiment, or a cross tabulation.

import { type FindingsClient, FindingsTable } from "../entries/inline.js";
import { crosstab } from "../survey/crosstab.js";
import type { CrosstabResult } from "../survey/crosstab-result.js";
import type { Command } from "./arguments.js";
import { documentedColumns } from "./common-schema.js";
import { JoinedColumns } from "./joined-columns.js";
import { forEachPartition, PartitionLoader } from "./partition-loader.js";
import type { Progress } from "./progress.js";
import { Names } from "./selection.js";

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

/** What a summary has of some findings. */
export interface Summary<Result> {
  readonly result: Result;
  /** What the result does not show. */
  readonly warnings: readonly string[];
}

/** What a summary is of, and whether the columns that are joined are needed, too. */
export type Subject = Pick<
  Command & { name: "summary" | "respondents" },
  "inspectionKey" | "kind" | "by" | "across" | "distinct" | "join" | "isSparse"
> & { readonly keepsJoined?: boolean };

/** Returns the groups, the largest first. */
export function groupsIn(table: FindingsTable<unknown>, { by, distinct }: Subject): Group[] {
  const aggregates = { mean: SENTIMENT, ...(distinct !== undefined && { distinct }) };
  const groups = table.summarize(by, aggregates) as unknown as (Group & { mean: number })[];
  return groups.map(({ mean, ...group }) => ({ ...group, mean: Number.isNaN(mean) ? null : mean }));
}

/** Returns a cross tabulation: the values of the columns `by` in its rows, those of the column `across` in its columns. */
export function crosstabIn(table: FindingsTable<unknown>, { by, distinct }: Subject, across: string): CrosstabResult {
  return crosstab(table as never, by, across, { distinct });
}

/** Reads an inspection, of which it holds only the columns that a summary needs, and summarizes it. */
export async function summaryOf<Result>(
  client: FindingsClient,
  subject: Subject,
  signal: AbortSignal,
  progress: Progress,
  summarize: (table: FindingsTable<unknown>, subject: Subject) => Result,
): Promise<Summary<Result>> {
  const { inspectionKey, kind, by, across, distinct, join, isSparse, keepsJoined = false } = subject;
  const joined = join && (await JoinedColumns.read(join, kind));
  const added = joined?.columns ?? [];
  const named = [...by, across, distinct].filter((name) => name !== undefined);
  const known = new Names(
    "summary",
    named.filter((name) => !added.includes(name)),
  );
  const needed = [...new Set([...named, SENTIMENT, ...(keepsJoined ? added : [])])];
  const fetched = [...needed.filter((name) => !added.includes(name)), ...(join === undefined ? [] : [join.by])];
  const { partitions, findings } = (await client.getPartitionCounts(inspectionKey, { signal }))[kind];
  const loader = new PartitionLoader(client, inspectionKey, kind);
  const tables: FindingsTable<unknown>[] = [];
  const names = new Set<string>();
  let received = 0;
  await forEachPartition(
    partitions,
    signal,
    () => received === 0,
    async (index, signal) => {
      // The first findings have all columns: they show a slip.
      const isFirst = received === 0;
      const partition = await loader.fetch(index, signal, isFirst ? undefined : [...new Set(fetched)]);
      const { table } = joined === undefined ? partition : joined.addTo(partition);
      if (isFirst && !isSparse) {
        for (const one of [known, joined?.key]) checkFirst(table, one);
      }
      for (const name of table.columns) names.add(name);
      received += table.length;
      const there = [...table.columns, ...documentedColumns("sentiment")];
      tables[index] = table.select(needed.filter((name) => there.includes(name))) as FindingsTable<unknown>;
      for (const one of new Set([partition.table, table])) one.free();
      progress.show(`${tables.filter(Boolean).length} of ${partitions} partitions`);
    },
  );
  loader.checkTotal(received, findings);
  const unmatched = joined?.unmatched(received, names);
  if (unmatched !== undefined) throw new Error(unmatched);
  const whole = FindingsTable.concat(tables as never) as FindingsTable<unknown>;
  const rounded = "integers beyond 2^53 are rounded, so different ones may be in one group";
  try {
    return { result: summarize(whole, subject), warnings: whole.integersRounded ? [rounded] : [] };
  } finally {
    for (const table of [whole, ...tables]) table.free();
  }
}

/** Refuses names that the first findings lack. */
function checkFirst(table: FindingsTable<object>, names: Names | undefined): void {
  names?.ask(table);
  try {
    names?.check();
  } catch (error) {
    throw new Error(`${(error as Error).message}. If only later findings have it, pass --sparse`);
  }
}
