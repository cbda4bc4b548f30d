// The export of all findings of one kind to a file. It holds a few partitions in memory, however large the inspection is.

import type { KindCounts } from "../core/table/counts.js";
import type { FindingsClient } from "../entries/inline.js";
import { LimitError } from "../subpaths/export/limit-error.js";
import type { Command } from "./arguments.js";
import { CommonColumns, documentedColumns } from "./common-schema.js";
import { FinalError } from "./final-error.js";
import type { Partition } from "./format.js";
import { JoinedColumns } from "./joined-columns.js";
import { checkPartition, checkTotal, DateColumns, type FormatName, writerOf } from "./output.js";
import { checkReceived, forEachPartition } from "./partition-loader.js";
import type { Progress } from "./progress.js";
import { checkFirst, Selection } from "./selection.js";
import { SlipError } from "./slip-error.js";
import { TargetFile } from "./target-file.js";
import { WorkFolder } from "./work-folder.js";

/** An export, and what else must not change between an interruption and the continuation. */
export type Export = Omit<Command & { name: "export" }, "name" | "baseUrl" | "tokenHeader" | "isJson"> & {
  readonly origin: object;
};

export interface Exported {
  readonly findings: number;
  /** What the file lacks. */
  readonly warnings: readonly string[];
}

/**
 * Exports findings. The file gets its name once it is complete; until then, the partitions that have arrived are in a
 * folder beside it, where the next export continues.
 */
export async function exportFindings(
  client: FindingsClient,
  about: Export,
  signal: AbortSignal,
  progress: Progress,
): Promise<Exported> {
  const joined = about.join && (await JoinedColumns.read(about.join, about.kind));
  const target = await TargetFile.at(about.to);
  const path = `${target.path}.partial`;
  progress.show(`opening ${path}`);
  const folder = await WorkFolder.open(path);
  try {
    const { inspectionKey, kind, format, origin, selected } = about;
    const counts = (await client.getPartitionCounts(inspectionKey, { signal }))[kind];
    if (selected.where === undefined) checkTotal(format, counts.findings);
    await folder.begin({ ...origin, inspectionKey, kind, ...counts });
    const job = jobOf(about, joined, folder, counts);
    await fetchAll(client, job, signal, progress);
    return await write(job, target, signal, progress);
  } catch (error) {
    if (error instanceof FinalError || error instanceof LimitError) await folder.remove();
    if (!(error instanceof SlipError) || folder.saved.size === 0) throw error;
    throw new Error(
      `${error.message}. What has arrived stays in ${path}: the next export of the same findings continues from it. To export others, delete the folder`,
    );
  } finally {
    await folder.close();
  }
}

/** An export under way, and what its partitions have together. */
function jobOf(about: Export, joined: JoinedColumns | undefined, folder: WorkFolder, counts: KindCounts) {
  return {
    ...{ about, joined, folder, counts, selection: new Selection(about.selected), dates: new DateColumns() },
    /** The number of their findings, and of those that are kept. */
    ...{ received: 0, kept: 0 },
    /** The names of all columns, also where the format needs no schema. */
    names: new Set<string>(),
    /** The columns of each partition that are kept. */
    columns: [] as CommonColumns[],
  };
}

type Job = ReturnType<typeof jobOf>;

/** Fetches the partitions that the folder does not have, and looks at each. */
async function fetchAll(client: FindingsClient, job: Job, signal: AbortSignal, progress: Progress): Promise<void> {
  const { about, joined, selection, folder, counts } = job;
  const { partitions } = counts;
  const show = () => progress.show(`${folder.saved.size} of ${partitions} partitions fetched`);
  show();
  // The first findings show a slip: until then, nothing else is requested.
  const isAlone = () => job.received === 0 && (selection.isPart || joined !== undefined);
  await forEachPartition(partitions, signal, isAlone, async (index, signal) => {
    const isSaved = folder.saved.has(index);
    const load = async () => ({
      index,
      table: await client.loadPartition(about.inspectionKey, about.kind, index, { signal }),
    });
    const partition: Partition = isSaved ? await folder.openPartition(index) : await load();
    if (!isSaved) await folder.save(partition);
    const [whole, kept] = shaped(job, partition);
    checkPartition(about.format, kept, job.dates);
    job.received += whole.table.length;
    job.kept += kept.table.length;
    for (const name of whole.table.columns) job.names.add(name);
    joined?.key.ask(whole.table);
    job.columns[index] = new CommonColumns().add(kept.table);
    freeAll(partition, whole, kept);
    show();
    if (!about.isSparse) checkFirst(() => checkNames(job));
  });
}

/** Returns a partition with the columns of --join, and what is kept of it. */
function shaped({ joined, selection }: Job, partition: Partition): [whole: Partition, kept: Partition] {
  const whole = joined === undefined ? partition : { ...partition, table: joined.addTo(partition.table) };
  return [whole, selection.of(whole)];
}

/** Frees partitions, some of which may have the same table. */
function freeAll(...partitions: Partition[]): void {
  for (const table of new Set(partitions.map(({ table }) => table))) table.free();
}

/** Refuses names and types in the command line that none of the findings so far has. */
function checkNames({ about, joined, selection, received, names }: Job): void {
  if (received === 0) return;
  joined?.key.check();
  selection.check([...names], [...documentedColumns(about.kind), ...(joined?.columns ?? [])]);
}

/** Writes the partitions of the folder to the file. */
async function write(job: Job, target: TargetFile, signal: AbortSignal, progress: Progress): Promise<Exported> {
  const { about, joined, selection, folder, received, kept, names, counts } = job;
  const { inspectionKey, kind, format, separator, to } = about;
  checkReceived(received, counts.findings, kind, inspectionKey);
  checkNames(job);
  if (kept === 0 && received > 0 && target.isThere) {
    throw new SlipError(`none of the ${received} findings meets the conditions of --where, so ${to} stays as it is`);
  }
  const columns = new CommonColumns(selection);
  for (const one of job.columns) columns.merge(one);
  for (const name of joined?.columns ?? []) if (selection.keeps(name)) columns.names.add(name);

  const writer = writerOf(format, separator, { inspectionKey, kind, columns, dates: job.dates.names });
  async function* keptPartitions(): AsyncGenerator<Partition, void> {
    for (let index = 0; index < counts.partitions; index++) {
      const partition = await folder.openPartition(index);
      const [whole, kept] = shaped(job, partition);
      yield kept;
      freeAll(partition, whole, kept);
      signal.throwIfAborted();
      progress.show(`${index + 1} of ${counts.partitions} partitions written`);
    }
  }
  await target.write(folder.temporary(), async (file) => {
    for await (const part of writer(keptPartitions())) await file.writeFile(part);
  });
  await folder.remove();
  const warnings = [
    ...[...(joined?.warnings ?? []), ...lossMessages(format, kind, columns)],
    kept === 0 && received > 0 && `none of the ${received} findings meets the conditions of --where`,
    joined?.unmatched(received, names),
  ];
  return { findings: kept, warnings: warnings.filter((message) => typeof message === "string") };
}

/** Says what a file cannot keep. */
function lossMessages(format: FormatName, kind: string, columns: CommonColumns): string[] {
  const replaced = format === ".ndjson" ? [] : columns.replacedColumns(kind).map((name) => JSON.stringify(name));
  const halves = `halves of characters (lone surrogates) in ${replaced.join(", ")} are replaced by U+FFFD. Export to a .ndjson file to keep them`;
  const rounded = `integers beyond 2^53 are rounded, as in JavaScript: ${columns.rounded}`;
  return [...(columns.rounded === "" ? [] : [rounded]), ...(replaced.length === 0 ? [] : [halves])];
}
