// The summary of an inspection: its groups, each with the number of findings and the mean sentiment, or a cross tabulation.

import { type FindingsClient, FindingsTable } from "../entries/inline.js";
import type { Command as AnyCommand } from "./arguments.js";
import { CommonColumns, documentedColumns } from "./common-schema.js";
import { JoinedColumns } from "./joined-columns.js";
import { checkReceived, forEachPartition } from "./partition-loader.js";
import type { Progress } from "./progress.js";
import { checkFirst, Names } from "./selection.js";

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

type Command<Name> = Extract<AnyCommand, { readonly name: Name }>;

/** Returns the groups, the largest first. */
export function groupsIn(table: FindingsTable<unknown>, { by, distinct, kind }: Command<"summary">): Group[] {
  const hasMean = kind === "sentiment" || table.columns.includes(SENTIMENT);
  const aggregates = { ...(hasMean && { mean: SENTIMENT }), ...(distinct !== undefined && { distinct }) };
  const groups = table.summarize(by, aggregates) as unknown as (Group & { mean?: number })[];
  return groups.map(({ mean = Number.NaN, ...group }) => ({ ...group, mean: Number.isNaN(mean) ? null : mean }));
}

/** Reads an inspection, of which it holds only the columns that a command needs, and summarizes it. */
export async function summaryOf<Result>(
  client: FindingsClient,
  subject: Command<"summary" | "respondents">,
  signal: AbortSignal,
  progress: Progress,
  summarize: (table: FindingsTable<unknown>, joined: JoinedColumns | undefined) => Result,
): Promise<Summary<Awaited<Result>>> {
  const { inspectionKey, kind, join, isSparse } = subject;
  const joined = join && (await JoinedColumns.read(join, kind));
  const added = joined?.columns ?? [];
  const named = namesIn(subject);
  const own = named.filter(([, name]) => !added.includes(name));
  const known = [...own.map(([option, name]) => new Names(option, [name])), ...(joined ? [joined.key] : [])];
  const columns = [...new Set([...own.map(([, name]) => name), SENTIMENT, ...(join ? [join.by] : [])])];
  const kept = subject.name === "respondents" ? added : [];
  const needed = [...new Set([...named.map(([, name]) => name), SENTIMENT, ...kept])];
  const { partitions, findings } = (await client.getPartitionCounts(inspectionKey, { signal }))[kind];
  const tables: FindingsTable<unknown>[] = [];
  const names = new Set<string>();
  let received = 0;
  const isFirst = () => received === 0;
  await forEachPartition(partitions, signal, isFirst, async (index, signal) => {
    // The first findings have all columns: they show a slip.
    const isWhole = isFirst();
    const options = { signal, columns: isWhole ? undefined : (columns as never[]) };
    const fetched = await client.loadPartition(inspectionKey, kind, index, options);
    const table = joined?.addTo(fetched) ?? fetched;
    for (const one of known) {
      one.ask(table);
      if (isWhole && !isSparse) checkFirst(() => one.check());
    }
    for (const name of table.columns) names.add(name);
    received += table.length;
    const there = [...table.columns, ...documentedColumns("sentiment")];
    tables[index] = table.select(needed.filter((name) => there.includes(name))) as FindingsTable<unknown>;
    for (const one of new Set([fetched, table])) one.free();
    progress.show(`${tables.filter(Boolean).length} of ${partitions} partitions`);
  });
  checkReceived(received, findings, kind, inspectionKey);
  for (const one of known) one.check();
  const unmatched = joined?.unmatched(received, names);
  if (unmatched !== undefined) throw new Error(unmatched);
  const whole = FindingsTable.concat(tables as never) as FindingsTable<unknown>;
  const { rounded } = new CommonColumns().add(whole as never);
  const differ = `integers beyond 2^53 are rounded, so different ones may be in one group: ${rounded}`;
  try {
    const result = await summarize(whole, joined);
    return { result, warnings: [...(joined?.warnings ?? []), ...(rounded === "" ? [] : [differ])] };
  } finally {
    for (const table of [whole, ...tables]) table.free();
  }
}

/** The columns that a command names, each with its option. */
function namesIn(subject: Command<"summary" | "respondents">): [option: string, name: string][] {
  const named: Record<string, readonly (string | undefined)[]> =
    subject.name === "summary"
      ? { "--by": subject.by, "--across": [subject.across], "--distinct": [subject.distinct] }
      : { "--per": [subject.per], "--by": [subject.topics] };
  return Object.entries(named).flatMap(([option, names]) =>
    names.flatMap((name): [string, string][] => (name === undefined ? [] : [[option, name]])),
  );
}
