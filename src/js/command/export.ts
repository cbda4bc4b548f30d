// The export of all findings of one kind to a file. It holds a few partitions in memory, however large the inspection is.

import type { FindingsClient } from "../entries/inline.js";
import type { CsvSeparator } from "../export/csv-writer.js";
import { LimitError } from "../export/limit-error.js";
import { nameOf } from "../table/column-path.js";
import type { KindCounts } from "../table/counts.js";
import type { FindingKind } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import { CommonColumns } from "./common-schema.js";
import { FinalError } from "./final-error.js";
import type { Losses, Partition } from "./format.js";
import { type Join, JoinedColumns } from "./joined-columns.js";
import { hintOf } from "./name-hint.js";
import { checkPartition, checkTotal, type FormatName, needsSource, outputOf } from "./output.js";
import { BodyCopies, PartitionSource } from "./partition-source.js";
import { PartitionWriter } from "./partition-writer.js";
import type { Progress } from "./progress.js";
import { type Selected, Selection } from "./selection.js";
import { TargetFile } from "./target-file.js";
import { WorkFolder } from "./work-folder.js";

/** The partitions that are fetched at the same time. */
const PARALLEL = 4;

export interface Export {
  readonly inspectionKey: string;
  readonly kind: FindingKind;
  /** The path of the file. */
  readonly to: string;
  readonly format: FormatName;
  /** The character between the fields of a CSV file. */
  readonly separator: CsvSeparator;
  /** Where further columns come from. */
  readonly join: Join | undefined;
  /** The columns and findings to keep, those that are joined, too. */
  readonly selected: Selected;
  /** What else must not change between an interruption and the continuation. */
  readonly origin: object;
}

export interface Exported {
  readonly findings: number;
  readonly losses: Losses;
  /** The number of findings of the inspection, of which the file has some. */
  readonly received: number;
  /** Whether further columns were added, and no finding has a value in them. */
  readonly isUnmatched: boolean;
}

/**
 * Exports findings. The file gets its name once it is complete; until then, the partitions that have arrived are in a
 * folder beside it, where the next export continues.
 *
 * @returns what the file has, and what it cannot keep
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
  const folder = await WorkFolder.open(path, signal);
  try {
    const selection = await Selection.of(about.selected, (source) => opened(client, about, 0, source, signal));
    const job = { client, about, joined, selection, folder, signal, progress };
    const counts = await fetchAll(job);
    const exported = await write(job, target, counts, await survey(job, counts));
    selection.free();
    return exported;
  } catch (error) {
    if (error instanceof FinalError || error instanceof LimitError) await folder.remove();
    throw error;
  } finally {
    await folder.close();
  }
}

/** An export under way. */
interface Job {
  readonly client: FindingsClient;
  readonly about: Export;
  readonly joined: JoinedColumns | undefined;
  readonly selection: Selection;
  readonly folder: WorkFolder;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Fetches the partitions that the folder does not have. Returns the counts of all. */
async function fetchAll(job: Job): Promise<KindCounts> {
  const { client, about, joined, selection, folder, signal, progress } = job;
  const { inspectionKey, kind, format, origin, selected } = about;
  const { partitions, findings } = (await client.getPartitionCounts(inspectionKey, { signal }))[kind];
  if (selected.where === undefined) checkTotal(format, findings);
  await folder.begin({ ...origin, join: joined?.origin, inspectionKey, kind, partitions, findings });
  const show = () => progress.show(`${folder.saved.size} of ${partitions} partitions fetched`);
  show();
  const bodies = new BodyCopies();
  const missing = Array.from({ length: partitions }, (_, index) => index).filter((index) => !folder.saved.has(index));
  await inParallel(PARALLEL, missing, signal, async (index, signal) => {
    let table: FindingsTable<object> = await client.loadPartition(inspectionKey, kind, index, {
      signal,
      fetch: bodies.fetch,
    });
    try {
      let body = await bodies.take(index);
      if (joined !== undefined) {
        // Whatever the format, the findings have the columns as if the service had sent them.
        const whole = joined.addTo(PartitionSource.of(body));
        table.free();
        table = await opened(client, about, index, whole, signal);
        body = whole.body;
      }
      const kept = await selection.of({ index, table, source: undefined });
      checkPartition(format, kept);
      if (kept.table !== table) kept.table.free();
      const isNeeded = needsSource(format) || table.integersRounded;
      await folder.save(index, table, isNeeded ? PartitionSource.of(body) : undefined);
    } finally {
      table.free();
    }
    show();
  });
  return { partitions, findings };
}

/** Writes the partitions of the folder to the file. */
async function write(
  { about, joined, selection, folder, signal, progress }: Job,
  target: TargetFile,
  { partitions, findings }: KindCounts,
  { received, kept, names, columns }: Survey,
): Promise<Exported> {
  const { inspectionKey, kind, format, separator, join } = about;
  if (findings !== null && received !== findings) {
    // The partitions may belong to different analyses: none can be used again.
    throw new FinalError(
      `expected ${findings} ${kind} findings of inspection ${inspectionKey}, received ${received}; ` +
        "the inspection was probably re-analysed meanwhile: run the command again",
    );
  }
  if (join !== undefined && received > 0 && !names.has(join.by)) {
    const hint = hintOf(join.by, [...names], "the columns of the findings");
    throw new FinalError(`no finding has a value in the column ${JSON.stringify(join.by)}, which --by names${hint}`);
  }
  const added = joined?.names.map((name) => nameOf([name])) ?? [];
  const documented = new CommonColumns().planned(kind, false).map(({ name }) => name);
  if (received > 0) selection.check([...new Set([...names, ...documented, ...added])]);
  for (const name of added) if (selection.keeps(name)) columns.names.add(name);

  const output = outputOf(format, separator, { inspectionKey, kind, columns });
  async function* keptPartitions(): AsyncGenerator<Partition, void> {
    for (let index = 0; index < partitions; index++) {
      const partition = await folder.openPartition(index, needsSource(format));
      const kept = await selection.of(partition);
      yield kept;
      kept.table.free();
      partition.table.free();
      signal.throwIfAborted();
      progress.show(`${index + 1} of ${partitions} partitions written`);
    }
  }
  await target.write(folder.temporary(), async (file) => {
    for await (const part of output.parts(keptPartitions())) await file.writeFile(part);
    await folder.check();
  });
  await folder.remove();
  const isUnmatched = added.length > 0 && received > 0 && !added.some((name) => names.has(name));
  return { findings: kept, received, losses: output.losses, isUnmatched };
}

/** Opens the findings of a partition, as the service wrote them, as a table. */
function opened(
  client: FindingsClient,
  { inspectionKey, kind }: Export,
  index: number,
  source: PartitionSource,
  signal: AbortSignal,
): Promise<FindingsTable<object>> {
  return client.loadPartition(inspectionKey, kind, index, { signal, fetch: async () => new Response(source.body) });
}

/** What all partitions have together. */
interface Survey {
  /** The number of their findings. */
  readonly received: number;
  /** The number of findings that are kept. */
  readonly kept: number;
  /** The names of all columns, also where the format needs no schema. */
  readonly names: ReadonlySet<string>;
  readonly columns: CommonColumns;
}

/** Reads the partitions of a folder for the first time, before anything is written. */
async function survey(
  { about: { format }, joined, selection, folder, signal }: Job,
  { partitions }: KindCounts,
): Promise<Survey> {
  const columns = new CommonColumns((name) => selection.keeps(name));
  const names = new Set<string>();
  let [received, kept] = [0, 0];
  for (let index = 0; index < partitions; index++) {
    const partition = await folder.openPartition(index, needsSource(format));
    for (const name of partition.table.columns) names.add(name);
    received += partition.table.length;
    joined?.checkKeys(partition.table);
    const { table, source } = await selection.of(partition);
    if (!needsSource(format)) columns.add(new PartitionWriter(table, source));
    kept += table.length;
    table.free();
    partition.table.free();
    signal.throwIfAborted();
  }
  return { received, kept, names, columns };
}

/** Works on items, several at the same time. After an error it begins no more, aborts those under way, and rejects with the error. */
async function inParallel<Item>(
  count: number,
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  // Node has AbortSignal.any since version 20.3.
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  const worker = async () => {
    for (const item of waiting) {
      ending.signal.throwIfAborted();
      await work(item, ending.signal);
    }
  };
  const workers = Array.from({ length: count }, () => worker().catch((error) => ending.abort(error)));
  await Promise.all(workers);
  signal.removeEventListener("abort", end);
  ending.signal.throwIfAborted();
}
