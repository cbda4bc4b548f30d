// The client: the public class with the calls for tables. Its methods record where they were called.

import type { LiveTable } from "../live/live-table-types.js";
import type { CallFinding } from "../table/column-name.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import { TABLE_CALL, type TableCall } from "../table/table-call.js";
import { callOf } from "./call.js";
import { Calls } from "./calls.js";
import { callsOf, FindingsClient as ObjectsClient } from "./objects-client.js";
import { CheckedOptions } from "./options/checked-options.js";
import type { Options, PartitionOptions, StreamOptions, TableOptions, WithColumns } from "./options.js";
import type { TableStream } from "./stream.js";
import { TableCalls, tables } from "./table-calls.js";

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
  readonly #tables: TableCalls;

  /** @param options for all calls of this client */
  constructor(options?: Options) {
    super(options);
    this.#tables = new TableCalls(callsOf(this));
  }

  override extend(options: Options): FindingsClient<Finding> {
    return new FindingsClient<Finding>(new Calls(CheckedOptions.of(options), this.#tables.calls) as Options);
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
  ): Promise<FindingsTable<CallFinding<Finding, Kind, Names>>> {
    const target = { inspectionKey, kind, partitionIndex };
    return this.#tables.partition(callOf("partition", target, options, this.loadPartition, tables));
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
  ): Promise<FindingsTable<CallFinding<Finding, Kind, Names>>> {
    return this.#tables.all(callOf("table", { inspectionKey, kind }, options, this.loadTable, tables));
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
  ): TableStream<CallFinding<Finding, Kind, Names>> {
    return this.#tables.stream(callOf("stream", { inspectionKey, kind }, options, this.streamTables, tables));
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
  ): LiveTable<CallFinding<Finding, Kind, Names>> {
    return this.#tables.live(callOf("table", { inspectionKey, kind }, options, this.watchTable, tables));
  }

  /**
   * Makes a call for a table that a store may have kept. Throws nothing.
   *
   * @internal
   */
  [TABLE_CALL]<Live>(inspectionKey: InspectionKey, kind: FindingKind, options: unknown): TableCall<Live> {
    const checked = CheckedOptions.of(options, "kept");
    const call = callOf("table", { inspectionKey, kind }, checked, this[TABLE_CALL], tables);
    return this.#tables.tableCall(call) as TableCall<never>;
  }
}
