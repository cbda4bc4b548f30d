// The client: the public class with the calls for tables. Its methods record where they were called.

import type { LiveTable } from "../live/live-table-types.js";
import type { TableFinding } from "../table/column-name.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../table/finding.js";
import { KEPT_TABLE, type KeptTableLoader } from "../table/kept-table.js";
import type { FindingsTable } from "../table/table.js";
import { callOf } from "./call.js";
import { CALLS_OF, EXTENDED, FindingsClient as ObjectsClient } from "./objects-client.js";
import type { Options, PartitionOptions, StreamOptions, TableOptions, WithColumns } from "./options.js";
import type { TableStream } from "./stream.js";
import { keptTable, loadTable, tables, watchTable } from "./table-calls.js";

/**
 * A client of an inspection service. Its calls share these options, the limits `concurrency` and `maxBufferedBytes`,
 * and the retry budget. Options of a single call win, except as their documentation says.
 *
 * Pass the type of your findings once, here: {@link InspectionFinding} if you pass none. The kind and the option
 * `columns` of a call narrow the type of its result.
 *
 * The constructor neither loads the `.wasm` file nor sends a request. If options are wrong, each call rejects. If one
 * of your functions throws, such as `headers` or `onProgress`, the call rejects with that error.
 *
 * @example
 * using client = new FindingsClient({ baseUrl: "https://service.example/cxi/" });
 * const findings = await client.getFindings(42, "sentiment");
 */
export class FindingsClient<Finding = InspectionFinding> extends ObjectsClient<Finding> {
  override extend(options: Options): FindingsClient<Finding> {
    return FindingsClient[EXTENDED](new FindingsClient<Finding>(), this, options);
  }

  /**
   * Fetches the findings of one partition as a table, with one request.
   *
   * @param inspectionKey a safe integer, a bigint of at most 64 bits, or a string of decimal digits
   * @param partitionIndex an integer from 0 to the number of partitions − 1
   * @returns the table. Free it when you no longer need it. Rejects like {@link getPartition}.
   * @example
   * using table = await client.loadPartition(42, "topics", 0);
   * console.log(table.countBy("TopicGroup"));
   */
  loadPartition<const Names extends readonly string[] = never, Kind extends FindingKind = FindingKind>(
    inspectionKey: InspectionKey,
    kind: Kind,
    partitionIndex: number,
    options?: WithColumns<PartitionOptions, Finding, Names>,
  ): Promise<FindingsTable<TableFinding<Finding, Kind, Names>>> {
    const target = { inspectionKey, kind, partitionIndex };
    return FindingsClient[CALLS_OF](this).partition(callOf("partition", target, options, this.loadPartition, tables));
  }

  /**
   * Fetches all findings of one kind as a table, in columns outside the JavaScript heap. Use it if you count or filter
   * findings, and show only some. With the option `from`, it continues from a table that you have kept.
   *
   * @param inspectionKey a safe integer, a bigint of at most 64 bits, or a string of decimal digits
   * @returns the table. Free it when you no longer need it. Rejects like {@link getFindings}; an error of code
   * `partial` carries `table` instead of `findings`.
   * @example
   * using table = await client.loadTable(42, "sentiment");
   * for (const { key, count } of table.countBy("Topic.Text")) console.log(key[0], count);
   */
  loadTable<const Names extends readonly string[] = never, Kind extends FindingKind = FindingKind>(
    inspectionKey: InspectionKey,
    kind: Kind,
    options?: WithColumns<TableOptions, Finding, Names>,
  ): Promise<FindingsTable<TableFinding<Finding, Kind, Names>>> {
    const call = callOf("table", { inspectionKey, kind }, options, this.loadTable, tables);
    return loadTable(FindingsClient[CALLS_OF](this), call);
  }

  /**
   * Streams the partitions of one kind like {@link streamPartitions}, each as a separate table. Use it for more
   * findings than fit into memory.
   *
   * @param inspectionKey a safe integer, a bigint of at most 64 bits, or a string of decimal digits
   * @returns a stream that starts with its first `next()`, and rejects like the stream of {@link streamPartitions}.
   * Free each table that you have read.
   * @example
   * for await (const { index, table } of client.streamTables(42, "topics")) {
   *   using read = table;
   *   console.log(index, read.countBy("TopicGroup"));
   * }
   */
  streamTables<const Names extends readonly string[] = never, Kind extends FindingKind = FindingKind>(
    inspectionKey: InspectionKey,
    kind: Kind,
    options?: WithColumns<StreamOptions, Finding, Names>,
  ): TableStream<TableFinding<Finding, Kind, Names>> {
    const call = callOf("stream", { inspectionKey, kind }, options, this.streamTables, tables);
    return FindingsClient[CALLS_OF](this).stream(call);
  }

  /**
   * Fetches all findings of one kind as a table that grows with every partition. You can use it from the first
   * partition on.
   *
   * Each snapshot has exactly the partitions received so far: its numbers are exact for what has arrived. Queries on a
   * snapshot reuse the results of the previous snapshot.
   *
   * @param inspectionKey a safe integer, a bigint of at most 64 bits, or a string of decimal digits
   * @returns the live table. Free it when you no longer need it. If something fails, wrong arguments too, its state
   * becomes `"failed"`, and `done` rejects with the error.
   * @example
   * using live = client.watchTable(42, "sentiment");
   * for await (const { table, progress } of live) {
   *   console.log(`${progress.partitionsDone} of ${progress.partitions ?? "?"} partitions: ${table.length} findings`);
   * }
   * using table = await live.done;
   */
  watchTable<const Names extends readonly string[] = never, Kind extends FindingKind = FindingKind>(
    inspectionKey: InspectionKey,
    kind: Kind,
    options?: WithColumns<TableOptions, Finding, Names>,
  ): LiveTable<TableFinding<Finding, Kind, Names>> {
    const call = callOf("table", { inspectionKey, kind }, options, this.watchTable, tables);
    return watchTable(FindingsClient[CALLS_OF](this), call);
  }

  /**
   * Loads a table that a store may have kept. Throws nothing.
   *
   * @internal
   */
  [KEPT_TABLE]<Live>(inspectionKey: InspectionKey, kind: FindingKind, options: unknown): KeptTableLoader<Live> {
    const call = callOf("kept", { inspectionKey, kind }, options, this[KEPT_TABLE], tables);
    return keptTable(FindingsClient[CALLS_OF](this), call) as KeptTableLoader<never>;
  }
}
