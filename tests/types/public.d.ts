// The public types, as `npm run update:types` copies them from dist/. Not to be edited.

// arrow.d.ts

import type { FindingsTable } from "./table.js";
/** How {@link toArrowIPC} writes a table. */
export interface ArrowOptions {
    /**
     * The type of text columns: `"dictionary"` stores each distinct text once (`Dictionary<Int32, Utf8>`), `"utf8"`
     * repeats it in each row (`Utf8`), for tools without support for dictionaries. Has no effect with `schema`.
     *
     * @default "dictionary"
     */
    strings?: "dictionary" | "utf8" | undefined;
    /**
     * Whether to add a column `name$present` after each column: true if the finding has the field, false if the field is
     * missing. Without it, missing fields look like null. Has no effect with `schema`.
     *
     * @default false
     */
    presence?: boolean | undefined;
    /** An earlier stream of {@link toArrowIPC}, or its beginning with the schema. The new stream gets the same columns and types. */
    schema?: Uint8Array | undefined;
}
/**
 * Writes a table as one self-contained Arrow IPC stream, from its columns and without building a row. Takes a few hundred nanoseconds
 * for each finding.
 *
 * First come the documented fields that are numbers, booleans or texts. These columns always exist, with fixed types:
 * `Int32`, `Bool`, or text; `Sentiment` only for sentiment findings. The other columns of the table follow, typed by
 * their values: integers of 32 bits as `Int32`, numbers as `Float64`, booleans as `Bool`, texts as text. A column
 * without a value is text. Arrays, objects, lone surrogates and values of several types become JSON text, and the
 * field's metadata says `inspection-findings.content: json`. A documented field with values of another type is typed by
 * its values, too. {@link FindingsTable.columns} lists the names. Null and missing values are null.
 *
 * The schema's metadata has:
 *
 * - `inspection-findings.inspection` and `inspection-findings.kind`
 * - `inspection-findings.complete`: `true` if the table has all findings of that kind, and `false` for a partition, a partial result or a
 *   view with fewer findings
 * - `inspection-findings.columnsTruncated`: `true` if some findings have fields without a column, which are not in the stream; see
 *   {@link FindingsTable.columnsTruncated}
 *
 * @returns the stream, as a standalone `Uint8Array` that is safe to transfer
 * @throws TypeError if the table has been freed, if a value does not fit `schema`, or if a field already has the name
 * of a `presence` column; the message names the column
 * @example
 * import { toArrowIPC } from "inspection-findings/arrow";
 *
 * const stream = toArrowIPC(table);
 * await fetch("/archive/42.arrows", { method: "PUT", body: stream });
 */
export declare function toArrowIPC(table: FindingsTable<unknown>, options?: ArrowOptions): Uint8Array<ArrayBuffer>;

// client.d.ts

import type { LiveTable } from "./live-table-types.js";
import type { NamedColumn, Picked } from "./column-name.js";
import { DISPOSE } from "./dispose.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "./finding.js";
import type { FindingsTable } from "./table.js";
import type { PartitionCounts } from "./counts.js";
import type { CountsOptions, FindingsOptions, Options, PartitionOptions, StreamOptions, TableOptions, WithColumns } from "./options.js";
import { type PartitionStream, type TableStream } from "./stream.js";
/**
 * A client of an inspection service. Its calls share these options, the limits `concurrency` and `maxBufferedBytes`,
 * and the retry budget. Options of a single call win, except as their documentation says.
 *
 * The constructor neither loads the `.wasm` file nor sends a request. If options are wrong, each call rejects. If one
 * of your functions throws, such as `headers` or `onProgress`, the call rejects with that error.
 *
 * @example
 * using client = new FindingsClient({ baseUrl: "https://service.example/cxi/" });
 * const findings = await client.getFindings(42, "sentiment");
 */
export declare class FindingsClient {
    #private;
    /** @param options for all calls of this client */
    constructor(options?: Options);
    /**
     * Fetches the numbers of partitions and findings of both kinds, with one request.
     *
     * @param inspectionKey a safe integer, a bigint of at most 64 bits, or its decimal digits
     * @returns the counts. Rejects with a `TypeError` or `RangeError` for wrong arguments, with `signal.reason` after an
     * abort, and otherwise with a {@link FindingsError} of code `network`, `timeout`, `http`, `unauthorized`, `service`,
     * `decode`, `too-large`, `load` or `memory`.
     * @example
     * const { sentiment, topics } = await client.getPartitionCounts(42);
     * console.log(sentiment.partitions, topics.findings ?? "unknown");
     */
    getPartitionCounts(inspectionKey: InspectionKey, options?: CountsOptions): Promise<PartitionCounts>;
    /**
     * Fetches the findings of one partition, with one request.
     *
     * @param inspectionKey a safe integer, a bigint of at most 64 bits, or its decimal digits
     * @param partitionIndex an integer from 0 to the number of partitions − 1
     * @returns the findings in their order. Rejects like {@link getPartitionCounts}; an error of code `service` carries
     * `findings` if the response has some.
     * @example
     * const findings = await client.getPartition(42, "topics", 0);
     */
    getPartition<Finding = InspectionFinding, const Name extends NamedColumn<Finding> = string>(inspectionKey: InspectionKey, kind: FindingKind, partitionIndex: number, options?: WithColumns<PartitionOptions, Name>): Promise<Picked<Finding, Name>[]>;
    /**
     * Fetches the findings of one partition as a table, with one request.
     *
     * @param inspectionKey a safe integer, a bigint of at most 64 bits, or its decimal digits
     * @param partitionIndex an integer from 0 to the number of partitions − 1
     * @returns the table. Free it when you no longer need it. Rejects like {@link getPartition}.
     * @example
     * using table = await client.loadPartition(42, "topics", 0);
     * console.log(table.countBy("TopicGroup"));
     */
    loadPartition<Finding = InspectionFinding, const Name extends NamedColumn<Finding> = string>(inspectionKey: InspectionKey, kind: FindingKind, partitionIndex: number, options?: WithColumns<PartitionOptions, Name>): Promise<FindingsTable<Picked<Finding, Name>>>;
    /**
     * Fetches all findings of one kind, in index order, or rejects with an error.
     *
     * The service has no snapshots: if an inspection is re-analysed during the call, the package can tell only by a
     * changed total. `completeness` decides what a wrong total means.
     *
     * @param inspectionKey a safe integer, a bigint of at most 64 bits, or its decimal digits
     * @returns all findings. Rejects like {@link getPartitionCounts}, and also with code `incomplete` if the number of
     * findings is not the total, or `partial` if partitions are missing and `failurePolicy` is `"collect"`.
     * @example
     * const findings = await client.getFindings(42, "sentiment", { totalTimeout: 60_000 });
     * console.log(findings.length, findings[0]?.Comment);
     */
    getFindings<Finding = InspectionFinding, const Name extends NamedColumn<Finding> = string>(inspectionKey: InspectionKey, kind: FindingKind, options?: WithColumns<FindingsOptions, Name>): Promise<Picked<Finding, Name>[]>;
    /**
     * Fetches all findings of one kind as a table, in columns outside the JavaScript heap. Use it if you count or filter
     * findings, and show only some. With the option `from`, it continues from a table that you have kept.
     *
     * @param inspectionKey a safe integer, a bigint of at most 64 bits, or its decimal digits
     * @returns the table. Free it when you no longer need it. Rejects like {@link getFindings}; an error of code `partial` carries
     * `table` instead of `findings`.
     * @example
     * using table = await client.loadTable(42, "sentiment");
     * for (const { key, count } of table.countBy("Topic.Text")) console.log(key[0], count);
     */
    loadTable<Finding = InspectionFinding, const Name extends NamedColumn<Finding> = string>(inspectionKey: InspectionKey, kind: FindingKind, options?: WithColumns<TableOptions, Name>): Promise<FindingsTable<Picked<Finding, Name>>>;
    /**
     * Streams the partitions of one kind, so that you can process each while the next ones are being fetched.
     *
     * @param inspectionKey a safe integer, a bigint of at most 64 bits, or its decimal digits
     * @returns a stream that starts with its first `next()`. `next()` rejects like {@link getFindings}, also for wrong
     * arguments, but never with code `partial`: `failurePolicy: "collect"` is a `TypeError` here.
     * @example
     * for await (const { index, findings } of client.streamPartitions(42, "topics")) {
     *   console.log(index, findings.length);
     * }
     */
    streamPartitions<Finding = InspectionFinding, const Name extends NamedColumn<Finding> = string>(inspectionKey: InspectionKey, kind: FindingKind, options?: WithColumns<StreamOptions, Name>): PartitionStream<Picked<Finding, Name>>;
    /**
     * Streams the partitions of one kind like {@link streamPartitions}, each as a separate table. Use it for more
     * findings than fit into memory.
     *
     * @param inspectionKey a safe integer, a bigint of at most 64 bits, or its decimal digits
     * @returns a stream that starts with its first `next()`, and rejects like the stream of {@link streamPartitions}.
     * Free each table that you have read.
     * @example
     * for await (const { index, table } of client.streamTables(42, "topics")) {
     *   using read = table;
     *   console.log(index, read.countBy("TopicGroup"));
     * }
     */
    streamTables<Finding = InspectionFinding, const Name extends NamedColumn<Finding> = string>(inspectionKey: InspectionKey, kind: FindingKind, options?: WithColumns<StreamOptions, Name>): TableStream<Picked<Finding, Name>>;
    /**
     * Fetches all findings of one kind as a table that grows with every partition. You can use it from the first
     * partition on.
     *
     * Each snapshot has exactly the partitions received so far: its numbers are exact for what has arrived. Queries on a
     * snapshot reuse the results of the previous snapshot.
     *
     * @param inspectionKey a safe integer, a bigint of at most 64 bits, or its decimal digits
     * @returns the live table. Free it when you no longer need it. If something fails, wrong arguments too, its state
     * becomes `"failed"`, and `done` rejects with the error.
     * @example
     * using live = client.watchTable(42, "sentiment");
     * for await (const { table, progress } of live) {
     *   console.log(`${progress.partitionsDone} of ${progress.partitions} partitions: ${table.length} findings`);
     * }
     * using table = await live.done;
     */
    watchTable<Finding = InspectionFinding, const Name extends NamedColumn<Finding> = string>(inspectionKey: InspectionKey, kind: FindingKind, options?: WithColumns<TableOptions, Name>): LiveTable<Picked<Finding, Name>>;
    /**
     * Loads the `.wasm` file like {@link preload}. Also starts the worker of this client if its option `worker` is
     * neither `false` nor `"auto"`. If the worker cannot be started, the calls report it.
     *
     * @returns a promise. Like the client's calls, it rejects if the options are wrong, the client is freed or its signal
     * is aborted. If loading fails, it rejects with a {@link FindingsError} of code `load`.
     * @example
     * using client = new FindingsClient({ worker: true });
     * requestIdleCallback(() => client.preload().catch(() => {}));
     */
    preload(): Promise<void>;
    /**
     * Frees the client: calls in flight and later calls reject with a `TypeError`. Calling it again has no effect.
     *
     * @example
     * const client = new FindingsClient({ baseUrl: "https://service.example/cxi/" });
     * try {
     *   console.log(await client.getPartitionCounts(42));
     * } finally {
     *   client.free();
     * }
     */
    free(): void;
    /**
     * Frees the client, as {@link free} does, at the end of a block with `using`.
     *
     * @example
     * using client = new FindingsClient({ baseUrl: "https://service.example/cxi/" });
     */
    [DISPOSE](): void;
}
/**
 * Loads the `.wasm` file before a call needs it, for example while the page is idle. Optional: otherwise the first call
 * loads it. After a failure you can call it again.
 *
 * @returns a promise that resolves when the file is loaded and compiled, or rejects with a {@link FindingsError} of
 * code `load`
 * @example
 * requestIdleCallback(() => preload().catch(() => {}));
 */
export declare function preload(): Promise<void>;
/**
 * Fetches the numbers of partitions and findings of both kinds, with one request. The same as
 * {@link FindingsClient.getPartitionCounts} of a new client with these options.
 *
 * @example
 * const { topics } = await getPartitionCounts(42, { baseUrl: "https://service.example/cxi/" });
 */
export declare function getPartitionCounts(inspectionKey: InspectionKey, options?: CountsOptions): Promise<PartitionCounts>;
/**
 * Fetches the findings of one partition, with one request. The same as
 * {@link FindingsClient.getPartition} of a new client with these options.
 *
 * @example
 * const findings = await getPartition(42, "topics", 0, { baseUrl: "https://service.example/cxi/" });
 */
export declare function getPartition<Finding = InspectionFinding, const Name extends NamedColumn<Finding> = string>(inspectionKey: InspectionKey, kind: FindingKind, partitionIndex: number, options?: WithColumns<PartitionOptions, Name>): Promise<Picked<Finding, Name>[]>;
/**
 * Fetches all findings of one kind, in index order, or rejects with an error. The same as
 * {@link FindingsClient.getFindings} of a new client with these options.
 *
 * @example
 * const findings = await getFindings(42, "sentiment", { baseUrl: "https://service.example/cxi/" });
 */
export declare function getFindings<Finding = InspectionFinding, const Name extends NamedColumn<Finding> = string>(inspectionKey: InspectionKey, kind: FindingKind, options?: WithColumns<FindingsOptions, Name>): Promise<Picked<Finding, Name>[]>;

// column-name.d.ts

/** The depth to which the columns of nested objects are named. */
type Depth = [never, 0, 1, 2, 3];
/** The keys that a type names, without the keys of an index signature. */
type NamedKey<Value> = keyof {
    [Key in keyof Value as string extends Key ? never : Key]: never;
} & string;
/** Whether an object of a type may have keys that the type does not name. */
type IsOpen<Value> = [NamedKey<Value>] extends [never] ? true : string extends keyof Value ? true : false;
/** A key in a dotted path, in which a dot of the key itself is written `\.`. */
type Escaped<Key extends string> = Key extends `${infer Before}.${infer After}` ? `${Before}\\.${Escaped<After>}` : Key;
/** The names of the columns of an object: dotted paths with a prefix. */
type Paths<Prefix extends string, Value, Left extends number> = [Left] extends [never] ? `${Prefix}${string}` : [NamedKey<Value>] extends [never] ? `${Prefix}${string}` : {
    [Key in NamedKey<Value>]: FieldPaths<`${Prefix}${Escaped<Key>}`, Value[Key], Left>;
}[NamedKey<Value>] | (IsOpen<Value> extends true ? Uncompleted<`${Prefix}${string}`> : never);
/** The names of the columns of a field. A field that holds only objects has only the columns of its nested fields. */
type FieldPaths<Path extends string, Field, Left extends number> = Field extends undefined ? never : Field extends readonly unknown[] ? Path : Field extends object ? Paths<`${Path}.`, Field, Depth[Left]> | ([] extends Field ? Path : never) : Path;
/** Any string of a pattern. In a union, it does not absorb the literals that editors complete. */
type Uncompleted<Pattern extends string> = Pattern & Record<never, never>;
/**
 * The names of the columns of a table: the dotted paths of its findings' fields. Any string if the type of the findings
 * does not name their fields.
 *
 * @example
 * const names: ColumnName<{ Topic: { Text: string }; Sentiment: number }>[] = ["Topic.Text", "Sentiment"];
 */
export type ColumnName<Finding> = Paths<"", Finding, 4>;
/** A name in the option `columns`: of a column, or of an object. */
export type NamedColumn<Finding> = ColumnName<Finding> | Uncompleted<string>;
/**
 * A finding with only some fields: those with these names, as the option `columns` lists them.
 *
 * @example
 * const finding: Picked<InspectionFinding, "TopicGroup" | "Topic.Text"> = { TopicGroup: null, Topic: { Text: "price" } };
 */
export type Picked<Finding, Name extends string> = string extends Name ? Finding : {
    [Key in keyof Finding as Key extends string ? PickedKey<Key, Name> : never]: Key extends string ? PickedField<Finding[Key], Escaped<Key>, Name> : never;
};
/** A key of an object, if it or a field below it is named. */
type PickedKey<Key extends string, Name extends string> = Name extends Escaped<Key> | `${Escaped<Key>}.${string}` ? Key : never;
/** A field as a whole, or only its named fields. A field that an index signature stands for may be named. */
type PickedField<Field, Path extends string, Name extends string> = Path extends Name ? Field : string extends Path ? Field : Field extends object ? Picked<Field, Name extends `${Path}.${infer Rest}` ? Rest : never> : undefined;
/**
 * The names of the columns of a table whose values may be numbers.
 *
 * @example
 * const name: NumberColumnName<InspectionFinding> = "Sentiment";
 */
export type NumberColumnName<Finding> = NumberName<Finding, ColumnName<Finding>>;
/** The names whose columns may have numbers. */
export type NumberName<Finding, Name extends string> = Name extends ColumnName<Finding> ? unknown extends ColumnValue<Finding, Name> ? Name : [Extract<ColumnValue<Finding, Name>, number>] extends [never] ? never : Name : never;
/** A string that is known only at run time, so that it may name any column; never a literal. */
export type AnyString<Name extends string> = string extends Name ? Name : never;
/**
 * The type of the values in a column; undefined stands for a missing field.
 *
 * @example
 * const text: ColumnValue<{ Topic?: { Text: string } }, "Topic.Text"> = undefined;
 */
export type ColumnValue<Finding, Path extends string> = Path extends unknown ? [KeyOf<Finding, Path>] extends [never] ? IsOpen<Finding> extends true ? unknown : never : ValueOf<Finding, KeyOf<Finding, Path>, Path> : never;
/** The first key of a path, if the type of the finding names it. */
type KeyOf<Finding, Path extends string> = {
    [Key in NamedKey<Finding>]: Path extends Escaped<Key> | `${Escaped<Key>}.${string}` ? Key : never;
}[NamedKey<Finding>];
/** The type of the values of the column of a key, or of a column below it. */
type ValueOf<Finding, Key extends keyof Finding & string, Path extends string> = Path extends `${Escaped<Key>}.${infer Rest}` ? FieldValue<Finding[Key], Rest> : Finding[Key];
/** The type of the values of a column inside a field; missing if the field holds no object. */
type FieldValue<Field, Path extends string> = Field extends object ? ColumnValue<Field, Path> : undefined;
/** The type of a value in the key of a group. An object whose fields have separate columns is `{}` there. */
type GroupValue<Value> = Value extends readonly unknown[] ? Value : Value extends object ? Record<never, never> : Value;
/**
 * The key of a group of findings: its value in each of these columns.
 *
 * @example
 * const key: GroupKey<{ Topic: { Text: string }; Sentiment: number }, ["Topic.Text", "Sentiment"]> = ["delivery", 1];
 */
export type GroupKey<Finding, Names extends readonly string[]> = {
    -readonly [Index in keyof Names]: GroupValue<ColumnValue<Finding, Names[Index]>>;
};
/** The names that a method takes: one, one list, or several. */
export type ListOf<Names> = Names extends readonly [infer List extends readonly string[]] ? List : Names extends readonly string[] ? Names : [Names & string];
/** The type of the findings of a table. Methods read it from `this`, so that a table stays assignable to a table of a wider type. */
export type FindingOf<Table> = Table extends Iterable<infer Finding> ? Finding : never;
export {};

// condition.d.ts

/**
 * A condition on the values of a column: equal to a scalar, equal to one of several scalars, a number from `min` to `max`
 * inclusive, a string that contains another, ignoring case, or `not` one of these. Null and missing values meet each `not`
 * that does not name them.
 *
 * If the type of the values is known, only conditions that they can meet: numbers and ranges for a column of numbers,
 * strings and `contains` for a column of strings. Null and undefined are always allowed.
 *
 * @example
 * const where: Record<string, Condition> = {
 *   TopicGroup: ["Delivery", "Price"],
 *   Sentiment: { max: -1 },
 *   Comment: { contains: "refund" },
 *   ExpressionGroup: { not: null },
 * };
 * const negative: Condition<number> = { max: -1 };
 */
export type Condition<Value = unknown> = PlainCondition<Value> | {
    readonly not: PlainCondition<Value>;
};
/** A condition without `not`. */
type PlainCondition<Value> = Scalar<Value> | readonly Scalar<Value>[] | (number extends Widened<Value> ? {
    readonly min?: number | undefined;
    readonly max?: number | undefined;
} : never) | (string extends Widened<Value> ? {
    readonly contains: string;
} : never);
/** A value to compare with the values of a column, by their type; undefined stands for a missing field. */
export type Scalar<Value = unknown> = Widened<Value> | null | undefined;
/** The types of the scalars among values of a type, without their literals. */
type Widened<Value> = unknown extends Value ? string | number | boolean : Value extends string ? string : Value extends number ? number : Value extends boolean ? boolean : never;
/** A condition with the number of its alternative and the name of its column. */
export type NumberedCondition = readonly [alternative: number, name: string, condition: Condition];
/**
 * Copies the conditions of each alternative. Reading them may run code of the caller, such as getters, so this happens
 * before the query begins.
 */
export declare function conditionsOf(alternatives: readonly unknown[]): NumberedCondition[];
export {};

// counts.d.ts

/** The counts of an inspection, for both kinds of findings. */
export interface PartitionCounts {
    /** Counts of the sentiment findings (`SentimentPartitions`, `SentimentFindings`). */
    sentiment: KindCounts;
    /** Counts of the topic findings (`TopicPartitions`, `TopicFindings`). */
    topics: KindCounts;
}
/** The counts of one kind of findings. */
export interface KindCounts {
    /** The number of partitions. Their indexes begin at 0. */
    partitions: number;
    /** The total number of findings in all partitions; null if the service reports none. */
    findings: number | null;
}

// dispose.d.ts

/// <reference lib="esnext.disposable" preserve="true" />
/** `Symbol.dispose`, or in an engine without it the symbol that compiled `using` looks for. */
export declare const DISPOSE: typeof Symbol.dispose;
/** `Symbol.asyncDispose`, or its substitute like {@link DISPOSE}. */
export declare const ASYNC_DISPOSE: typeof Symbol.asyncDispose;

// error.d.ts

import type { ResumeOptions } from "./options.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "./finding.js";
import type { FindingsTable } from "./table.js";
/**
 * What failed:
 *
 * - `network`: the request was refused, the connection broke, or the caller's `fetch` threw or returned no response; the message
 *   names the reason if there is one, such as `ENOTFOUND`
 * - `timeout`: an attempt exceeded `timeout`, or the call exceeded `totalTimeout`
 * - `http`: a status outside 200 to 299, or a redirect
 * - `unauthorized`: status 401 or 403
 * - `service`: a response with a status of 200 to 299 has `errors`
 * - `decode`: a response does not follow the contract of the service
 * - `too-large`: a body is longer than `maxPartitionBytes`
 * - `incomplete`: the number of findings received is not the total, or the counts have changed before `resume()`
 * - `partial`: partitions are missing from a call whose `failurePolicy` is `"collect"`
 * - `bytes`: `FindingsTable.fromBytes` cannot open the bytes; `reason` says why
 * - `load`: the `.wasm` file, or the worker, could not be loaded or started
 * - `memory`: out of memory, or the worker crashed; if WebAssembly has stopped, the next call starts it again
 */
export type FindingsErrorCode = "network" | "timeout" | "http" | "unauthorized" | "service" | "decode" | "too-large" | "incomplete" | "partial" | "bytes" | "load" | "memory";
/** A missing partition, and why it is missing. */
export interface PartitionFailure<Finding = InspectionFinding> {
    /** The index of the partition. */
    readonly partitionIndex: number;
    /** The reason. */
    readonly error: FindingsError<Finding>;
}
/**
 * Fetches the missing partitions of a call, and resolves with the whole result.
 *
 * @example
 * let resume: Resume<FindingsTable> | undefined;
 * try {
 *   await client.loadTable(42, "topics", { failurePolicy: "collect" });
 * } catch (error) {
 *   if (error instanceof FindingsError && error.code === "partial" && error.table) resume = error.resume;
 * }
 * const table = await resume?.({ retries: 10 });
 */
export type Resume<Result> = (options?: ResumeOptions) => Promise<Result>;
/** The members of an error besides its code and message. Each is present if it applies. */
export interface FindingsErrorDetails {
    readonly kind?: FindingKind | undefined;
    readonly inspectionKey?: InspectionKey | undefined;
    readonly partitionIndex?: number | undefined;
    readonly url?: string | undefined;
    readonly status?: number | undefined;
    readonly attempts?: number | undefined;
    readonly messages?: readonly string[];
    readonly retryAfter?: number | undefined;
    readonly expected?: number | undefined;
    readonly received?: number | undefined;
    readonly findings?: InspectionFinding[] | undefined;
    readonly table?: FindingsTable | undefined;
    readonly failures?: readonly PartitionFailure[] | undefined;
    readonly resume?: Resume<InspectionFinding[]> | Resume<FindingsTable> | undefined;
    readonly reason?: BytesReason | undefined;
    readonly cause?: unknown;
}
/**
 * Why bytes are no table:
 *
 * - `foreign`: they are something else
 * - `version`: another version of the package wrote them
 * - `truncated`: the end is missing
 * - `damaged`: bytes have changed
 */
export type BytesReason = "foreign" | "version" | "truncated" | "damaged";
/** The members that an error of any code may have. */
interface AnyFindingsError<Code extends FindingsErrorCode> extends Error {
    /** What failed. */
    readonly code: Code;
    /** The kind of findings that the call requested. */
    readonly kind?: FindingKind;
    /** The inspection, as the caller passed it. */
    readonly inspectionKey?: InspectionKey;
    /** The partition whose request failed. */
    readonly partitionIndex?: number;
    /** The URL of the request that failed; without credentials, because `baseUrl` has none. Absent if it contains the value of a header. */
    readonly url?: string;
    /** The HTTP status of the response that failed. */
    readonly status?: number;
    /** Number of attempts of the request that failed. */
    readonly attempts?: number;
    /**
     * The messages of the service (field `errors` of the response); empty if there are none. At most 1000 messages and
     * 16 KiB are kept; an ellipsis marks the cut. A message that contains the value of a request header is left out.
     */
    readonly messages: readonly string[];
    /** The `Retry-After` of the response, in milliseconds. */
    readonly retryAfter?: number;
    /** For code `bytes`: what is wrong with the bytes. */
    readonly reason?: BytesReason;
    /** A copy of the error that `fetch` rejected with: its name, message, code, stack and cause. */
    readonly cause?: unknown;
    /**
     * Returns the error for `JSON.stringify`: its `name`, `message` and other members, at most 10 of its `failures`, and
     * its `cause`, but no findings. A bigint becomes text. Never throws.
     */
    toJSON(): FindingsErrorJSON<Code>;
}
/** A `FindingsError` as JSON. */
export interface FindingsErrorJSON<Code extends FindingsErrorCode = FindingsErrorCode> {
    readonly name: string;
    readonly message: string;
    readonly code: Code;
    readonly [member: string]: unknown;
}
/** An error without findings. */
interface PlainError<Code extends FindingsErrorCode> extends AnyFindingsError<Code> {
    readonly expected?: undefined;
    readonly received?: undefined;
    readonly findings?: undefined;
    readonly table?: undefined;
    readonly failures?: undefined;
    readonly resume?: undefined;
}
/** The error of a response that reports errors. */
interface ServiceError<Finding> extends AnyFindingsError<"service"> {
    /** The findings of the partition, if the response has any besides the errors. */
    readonly findings?: Finding[];
    readonly expected?: undefined;
    readonly received?: undefined;
    readonly table?: undefined;
    readonly failures?: undefined;
    readonly resume?: undefined;
}
/** The error of a call that received a number of findings other than the total. */
interface IncompleteError<Finding> extends AnyFindingsError<"incomplete"> {
    /** The total that the service reported; absent if the service no longer reports one at `resume()`. */
    readonly expected?: number;
    /** The number of findings received. */
    readonly received: number;
    /** For `getFindings`: all findings received. Absent if the counts changed before `resume()`. */
    readonly findings?: Finding[];
    /** For `loadTable` and `watchTable`: all findings received; the caller frees the table. Absent if the counts changed before `resume()`. */
    readonly table?: FindingsTable<Finding>;
    readonly failures?: undefined;
    readonly resume?: undefined;
}
/** The error of a call with `failurePolicy: "collect"` that lacks partitions. */
interface CollectError<Finding, Result> extends AnyFindingsError<"partial"> {
    /**
     * The missing partitions in index order. After a `totalTimeout`, or if memory ran out, at most 65 536 unrequested
     * partitions are listed, and fewer if memory is short.
     */
    readonly failures: readonly PartitionFailure<Finding>[];
    /**
     * Fetches the missing partitions, and resolves with all findings: an array for `getFindings`, a {@link FindingsTable} for
     * `loadTable`. Reads the counts again first, and rejects with code `incomplete` if they have changed. After a failure you can
     * call it again; the partitions received so far are kept.
     *
     * @param options override the options of the call; without a `signal` here, the call's `signal` stays in force
     */
    readonly resume: Resume<Result>;
    readonly expected?: undefined;
    readonly received?: undefined;
}
/**
 * The `partial` error of `getFindings`. Check `findings` to tell it from {@link PartialTableError}.
 *
 * @example
 * const findings = await client.getFindings(42, "topics", { failurePolicy: "collect" }).catch((error: unknown) => {
 *   if (!(error instanceof FindingsError) || error.code !== "partial" || !error.findings) throw error;
 *   console.log(`${error.findings.length} findings so far`);
 *   return error.resume({ retries: 10 });
 * });
 */
export interface PartialFindingsError<Finding = InspectionFinding> extends CollectError<Finding, Finding[]> {
    /** The findings of all partitions received. Absent if there is no memory for them. */
    readonly findings?: Finding[];
    readonly table?: undefined;
}
/**
 * The `partial` error of `loadTable` and `watchTable`. Check `table` to tell it from {@link PartialFindingsError}.
 *
 * @example
 * const table = await client.loadTable(42, "topics", { failurePolicy: "collect" }).catch((error: unknown) => {
 *   if (!(error instanceof FindingsError) || error.code !== "partial" || !error.table) throw error;
 *   console.log(`${error.table.length} findings so far`);
 *   error.table.free();
 *   return error.resume({ retries: 10 });
 * });
 */
export interface PartialTableError<Finding = InspectionFinding> extends CollectError<Finding, FindingsTable<Finding>> {
    /** The findings of all partitions received; the caller frees the table. Absent if there is no memory for it. */
    readonly table?: FindingsTable<Finding>;
    readonly findings?: undefined;
}
/** The error of bytes that are no table. */
interface BytesError extends PlainError<"bytes"> {
    /** What is wrong with the bytes. */
    readonly reason: BytesReason;
}
/** The error of a code. */
type ErrorOf<Code extends FindingsErrorCode, Finding> = Code extends "service" ? ServiceError<Finding> : Code extends "incomplete" ? IncompleteError<Finding> : Code extends "partial" ? PartialFindingsError<Finding> | PartialTableError<Finding> : Code extends "bytes" ? BytesError : PlainError<Code>;
/**
 * The error of a failed call. Its `code` says what failed. `code`, `message` and `messages` are always present, other
 * members if they apply. A `partial` error has `findings` or `table`, depending on the call: check one of them to
 * narrow the type of `resume()`, too.
 *
 * You can log it: the package never puts header values in messages, URLs or causes. `findings`, `table`, `failures` and
 * `resume` are not enumerable, and `JSON.stringify` includes the message, but no findings. `instanceof` also recognizes
 * errors of the package's other entries and of other copies of the package.
 *
 * @example
 * try {
 *   await client.getFindings(42, "sentiment");
 * } catch (error) {
 *   if (!(error instanceof FindingsError)) throw error;
 *   console.error(error.code, error.partitionIndex, error.message);
 * }
 */
export type FindingsError<Finding = InspectionFinding> = ErrorOf<FindingsErrorCode, Finding>;
/** The class of {@link FindingsError}. */
export interface FindingsErrorConstructor {
    new <Code extends FindingsErrorCode>(code: Code, message: string, details?: FindingsErrorDetails): ErrorOf<Code, InspectionFinding>;
    readonly prototype: FindingsError;
}
export declare const FindingsError: FindingsErrorConstructor;
export {};

// exports.d.ts

export { FindingsClient, getFindings, getPartition, getPartitionCounts, preload } from "./client.js";
export type { KindCounts, PartitionCounts } from "./counts.js";
export type { CountsOptions, FindingsOptions, HeadersContext, Options, PartitionOptions, ResumeOptions, StreamOptions, TableOptions, WithColumns, } from "./options.js";
export type { PartitionChange, Progress } from "./progress.js";
export type { Partition, PartitionStream, TableStream } from "./stream.js";
export { type BytesReason, FindingsError, type FindingsErrorCode, type FindingsErrorDetails, type FindingsErrorJSON, type PartialFindingsError, type PartialTableError, type PartitionFailure, type Resume, } from "./error.js";
export type { LiveSnapshot, LiveTable } from "./live-table-types.js";
export type { ColumnName, ColumnValue, GroupKey, NamedColumn, NumberColumnName, Picked } from "./column-name.js";
export type { Condition, Scalar } from "./condition.js";
export type { FindingKind, FindingText, InspectionFinding, InspectionKey } from "./finding.js";
export { type Count, FindingsTable, type StatisticColumns, type Summary } from "./table.js";

// fake-service.d.ts

import type { FindingKind, InspectionFinding } from "./finding.js";
/** The numbers of invented findings of one kind. */
export interface FindingsSize {
    /** The number of findings. */
    readonly findings: number;
    /** The number of partitions. Their sizes differ by at most one; a partition has at most 1 000 000 findings. */
    readonly partitions: number;
}
/**
 * The name of a scenario. The sizes apply unless you pass findings or sizes.
 *
 * | name | sentiment findings, in partitions | topic findings, in partitions | behaviour |
 * |---|---|---|---|
 * | `small` | 250 in 3 | 310 in 4 | |
 * | `large` | 100 000 in 50 | 120 000 in 60 | |
 * | `empty` | 0 in 0 | 0 in 0 | |
 * | `slow` | 2 400 in 24 | 1 800 in 18 | every response takes 700 ms |
 * | `jittered` | 6 000 in 30 | 8 000 in 40 | responses take 10 to 500 ms, so they overtake each other |
 * | `flaky` | 1 200 in 6 | 1 600 in 8 | each URL responds with 500 once, then correctly |
 * | `rate-limited` | 800 in 4 | 1 000 in 5 | each URL responds with 429 and `Retry-After: 1` once, then correctly |
 * | `service-errors` | 400 in 4 | 500 in 5 | partition 1 has `errors` with status 200 |
 * | `wrong-total` | 300 in 3 | 400 in 4 | the totals are one too high |
 * | `broken-json` | 400 in 4 | 500 in 5 | the JSON of partition 1 ends too early |
 * | `expired-token` | 900 in 6 | 1 050 in 7 | 401 until `Authorization` or `authentication` has the token `renewed-token` |
 * | `unknown-inspection` | 0 in 0 | 0 in 0 | 404 with `errors` |
 */
export type ScenarioName = "small" | "large" | "empty" | "slow" | "jittered" | "flaky" | "rate-limited" | "service-errors" | "wrong-total" | "broken-json" | "expired-token" | "unknown-inspection";
/** A request to one of the service's endpoints. */
export interface FakeRequest {
    /** The URL of the request. */
    readonly url: string;
    /** The headers of the request. */
    readonly headers: Headers;
    /** The inspection in the URL. */
    readonly inspectionKey: string;
    /** The kind of the partition; undefined for the counts. */
    readonly kind: FindingKind | undefined;
    /** The index of the partition; undefined for the counts. */
    readonly partitionIndex: number | undefined;
    /** The number of requests for this URL so far, including this one. `use()` and `reset()` restart it at 0. */
    readonly count: number;
    /** Returns a number from 0 up to, but not including, 1. It depends only on the seed, the URL and `count`. */
    random(): number;
    /** Returns the correct response. */
    correctResponse(): Response;
}
/**
 * Your own scenario.
 *
 * @example
 * const service = createFakeService({
 *   scenario: {
 *     latency: ({ random }) => 100 * random(),
 *     respond: ({ partitionIndex }) => (partitionIndex === 2 ? new Response(null, { status: 503 }) : undefined),
 *   },
 * });
 */
export interface Scenario {
    /** Returns the milliseconds before the response. Default: none. */
    readonly latency?: ((request: FakeRequest) => number) | undefined;
    /** Returns the response; undefined for the correct one, and `Response.error()` for a broken connection. */
    readonly respond?: ((request: FakeRequest) => Response | undefined) | undefined;
}
/**
 * Faults of the service and of the network. They change responses, never the findings. Which requests fail depends on the seed, the
 * URL and the number of requests for it; only `rateLimit` and `bandwidth` use the clock.
 *
 * The four shares are exclusive, and add up to at most 1.
 */
export interface Faults {
    /** The milliseconds before each response. */
    readonly latency?: number | undefined;
    /** The maximum number of milliseconds that is added to the latency at random. */
    readonly jitter?: number | undefined;
    /** The share of the requests that get status 500, 502, 503 or 504. */
    readonly errorRate?: number | undefined;
    /** The share of the requests whose connection breaks. */
    readonly reset?: number | undefined;
    /** The share of the requests that never get a response. */
    readonly stall?: number | undefined;
    /** The share of the requests whose JSON ends too early. */
    readonly malformed?: number | undefined;
    /** The requests in a second that get a response; others get status 429 with `Retry-After: 1`. */
    readonly rateLimit?: number | undefined;
    /** The bytes of a body that arrive in a second. */
    readonly bandwidth?: number | undefined;
    /** The bytes in each piece of a body. */
    readonly slice?: number | undefined;
    /** Whether each URL fails at most once. Default: false. */
    readonly once?: boolean | undefined;
}
/** Options of a fake service; all are optional. */
export interface FakeServiceOptions {
    /** The seed of the findings, the latencies and the failures: the same seed gives the same bytes. Default: 1. */
    readonly seed?: number | undefined;
    /** The sentiment findings: how many to invent, or the findings of each partition. Default: the size of the scenario. */
    readonly sentiment?: FindingsSize | readonly (readonly object[])[] | undefined;
    /** The topic findings: how many to invent, or the findings of each partition. Default: the size of the scenario. */
    readonly topics?: FindingsSize | readonly (readonly object[])[] | undefined;
    /** The scenario for every inspection key. Default: `"small"`. */
    readonly scenario?: ScenarioName | Scenario | undefined;
    /** Faults in addition to the scenario. Default: none. */
    readonly faults?: Faults | undefined;
    /** The URL of the service; a missing slash at its end is added. Default: `"https://findings.test/"`. */
    readonly baseUrl?: string | URL | undefined;
}
/** A request that the service has received. */
export interface ReceivedRequest {
    /** The URL. */
    readonly url: string;
    /** The headers. */
    readonly headers: Headers;
    /** The status of the response; `"failed"` if there is none: the connection broke, stalls, or the caller aborted the request. */
    readonly status: number | "failed";
}
/**
 * A service in memory, made by {@link createFakeService}. Methods are bound: you can pass `service.fetch` around.
 *
 * @example
 * const service = createFakeService();
 * const client = new FindingsClient({ baseUrl: service.baseUrl, fetch: service.fetch });
 * console.log((await client.getFindings(42, "topics")).length, service.findings("topics").length);
 */
export interface FakeService {
    /** The URL of the service, with a slash at its end. */
    readonly baseUrl: string;
    /** The requests so far, in the order in which they arrived. */
    readonly requests: readonly ReceivedRequest[];
    /**
     * Responds to a request like the service, without a network. Rejects with a `TypeError` if the URL does not begin
     * with `baseUrl` or if the connection breaks, and with the reason of an aborted signal.
     */
    fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
    /** Returns the correct result of `getFindings`, to compare with: new objects at each call. */
    findings(kind: FindingKind): InspectionFinding[];
    /**
     * Switches scenario or faults until `reset()`. A scenario replaces only the scenario, faults only the faults. `count`
     * restarts at 0. The findings stay, so a scenario that only has sizes, such as `"large"`, means a service without
     * faults.
     *
     * @example
     * const service = createFakeService({ sentiment: { findings: 900, partitions: 9 } });
     * service.use("flaky");
     * service.use({ latency: 50, jitter: 20 });
     */
    use(behaviour: ScenarioName | Scenario | Faults): void;
    /** Restores the scenario and the faults of the options, and empties `requests`. `count` restarts at 0. */
    reset(): void;
}

// finding.d.ts

/** The key of an inspection: a safe integer, a bigint of at most 64 bits, or its decimal digits, such as a route's parameter. */
export type InspectionKey = number | bigint | string;
/** The two kinds of findings. */
export type FindingKind = "sentiment" | "topics";
/**
 * A finding, as the public help pages of the Ascribe CX Inspector API describe it. A finding keeps all fields that the
 * service sends, even fields that this type lacks. The package does not check findings against this type.
 *
 * For more fields, pass your own type as a type argument.
 *
 * @example
 * interface OurFinding extends InspectionFinding {
 *   Language: string;
 * }
 * const findings = await getFindings<OurFinding>(42, "sentiment");
 * console.log(findings[0]?.Language);
 */
export interface InspectionFinding {
    /** The variable that the comment belongs to (`VariableKey`). */
    VariableKey: number;
    /** The respondent's id. Compare respondents by this, not by `RespondentId` (`RespondentKey`). */
    RespondentKey: number;
    /** The name of the respondent in the source (`RespondentId`). */
    RespondentId: string;
    /** The id of the comment, also called verbatim (`StringKey`). */
    StringKey: number;
    /** The group of the topic; null if the topic is not mapped to a group (`TopicGroup`). */
    TopicGroup: string | null;
    /** The group of the expression; null if the expression is not mapped to a group (`ExpressionGroup`). */
    ExpressionGroup: string | null;
    /** True if `Topic` is a generic description such as `/PositiveSentiment/` (`NoTopic`). */
    NoTopic?: boolean;
    /** True if `Expression` is a generic description (`NoExpression`). */
    NoExpression?: boolean;
    /** The analysed text; all findings about it have the same (`Comment`). */
    Comment: string;
    /** The topic of the finding (`Topic`). */
    Topic: FindingText;
    /** The statement about the topic (`Expression`). */
    Expression: FindingText;
    /** The part of the comment on which the finding is based (`Extract`). */
    Extract: FindingText;
    /** From −2 (very negative) to 2 (very positive); only in sentiment findings (`Sentiment`). */
    Sentiment?: -2 | -1 | 0 | 1 | 2;
}
/** A text of a finding. The public help pages do not describe its fields. */
export interface FindingText {
    /** The text itself (`Text`). */
    Text?: string;
    [field: string]: unknown;
}

// index.d.ts

export * from "./exports.js";

// inline.d.ts

export * from "./exports.js";

// live-table-types.d.ts

import type { Progress } from "./progress.js";
import type { DISPOSE } from "./dispose.js";
import type { InspectionFinding } from "./finding.js";
import type { FindingsTable } from "./table.js";
/** The members of every snapshot. */
interface Received<Finding> {
    /**
     * The findings of exactly the partitions received so far, in index order. The same object until another partition
     * arrives. It shares its columns with other snapshots. You do not have to free it: garbage collection does.
     *
     * While it loads, you can use any column name: if no partition has the column yet, its values are missing. Once all
     * partitions have arrived, an unknown name throws a `RangeError`.
     */
    readonly table: FindingsTable<Finding>;
    /** The progress at the same moment. */
    readonly progress: Progress;
}
interface SnapshotWithoutError<Finding> extends Received<Finding> {
    /**
     * How far loading is:
     *
     * - `loading`: partitions are still being fetched
     * - `complete`: all findings are there, and their number is the total
     */
    readonly state: "loading" | "complete";
    readonly error?: undefined;
}
interface SnapshotWithError<Finding> extends Received<Finding> {
    /**
     * - `partial`: partitions are missing, and `resume()` fetches them; only with `failurePolicy: "collect"`
     * - `failed`: loading failed with `error`
     * - `aborted`: the signal, `free()` of the client or `free()` of the live table ended loading; `error` is the reason
     */
    readonly state: "partial" | "failed" | "aborted";
    /** Why loading ended: the reason that `done` rejects with. Absent while loading and once complete. */
    readonly error: unknown;
}
/**
 * The content of a {@link LiveTable} at one moment. It never changes. Check `state` to narrow the type: a `partial`,
 * `failed` or `aborted` snapshot has an `error`.
 *
 * @example
 * const snapshot = client.watchTable(42, "topics").getSnapshot();
 * if (snapshot.state === "failed") console.error(snapshot.error);
 */
export type LiveSnapshot<Finding = InspectionFinding> = SnapshotWithoutError<Finding> | SnapshotWithError<Finding>;
/**
 * A table that grows while its partitions arrive, returned by {@link FindingsClient.watchTable}.
 *
 * Loading starts with the call and needs no subscribers. {@link free}, `using`, the signal and
 * {@link FindingsClient.free} end it. All methods are bound: you can pass `live.subscribe` around.
 *
 * Partitions arrive in any order, but the table shows them in index order. So a row moves when a partition before it
 * arrives. To keep a selection, remember keys such as `StringKey`, not row indexes.
 *
 * A live table is also an async iterable of its snapshots: the current one, then one after each change, until loading
 * ends. A slow loop skips snapshots and gets the latest. If you leave the loop, loading goes on.
 *
 * @example
 * using live = client.watchTable(42, "sentiment");
 * for await (const { state, table, progress } of live) {
 *   console.log(state, `${progress.partitionsDone} of ${progress.partitions} partitions`, table.countBy("TopicGroup"));
 * }
 */
export interface LiveTable<Finding = InspectionFinding> {
    /**
     * Calls a function after changes, until you call the returned function: at most once per animation frame, every 250 ms in a
     * hidden page, every 16 ms where there is no page, and once more at the end, before {@link done} settles. Never calls it
     * synchronously.
     *
     * @example
     * const live = client.watchTable(42, "topics");
     * const unsubscribe = live.subscribe(() => console.log(live.getSnapshot().table.length));
     */
    subscribe(onChange: () => void): () => void;
    /**
     * Returns the current snapshot: the same object until something changes. Takes a few microseconds.
     *
     * @example
     * const live = client.watchTable(42, "topics");
     * const { table, progress } = live.getSnapshot();
     * console.log(table.length, progress.partitionsDone);
     */
    getSnapshot(): LiveSnapshot<Finding>;
    /**
     * Iterates over the snapshots. The loop ends after the last snapshot, also after a `partial` one unless the loop
     * calls {@link resume}.
     *
     * @example
     * using live = client.watchTable(42, "topics");
     * for await (const { state, table } of live) console.log(state, table.length);
     */
    [Symbol.asyncIterator](): AsyncGenerator<LiveSnapshot<Finding>, undefined>;
    /**
     * Settles like {@link FindingsClient.loadTable}. {@link resume} replaces the promise. It never causes an
     * `unhandledrejection`. Free the table when you no longer need it; the snapshots stay usable.
     *
     * @example
     * using live = client.watchTable(42, "topics");
     * using table = await live.done;
     */
    readonly done: Promise<FindingsTable<Finding>>;
    /**
     * If the state is `"partial"`, fetches the missing partitions into the same live table. If that fails, the state is
     * `"partial"` again, with the new error. Has no effect in any other state.
     *
     * @example
     * const live = client.watchTable(42, "topics", { failurePolicy: "collect" });
     * const again = document.createElement("button");
     * live.subscribe(() => {
     *   again.hidden = live.getSnapshot().state !== "partial";
     * });
     * again.onclick = () => live.resume();
     */
    resume(): void;
    /**
     * Ends loading and all notifications. While it is loading, the state becomes `"aborted"`, and `done` rejects with a `TypeError`.
     * Snapshots and the table of `done` stay usable. Calling it again has no effect.
     *
     * @example
     * const live = client.watchTable(42, "topics");
     * addEventListener("pagehide", () => live.free());
     */
    free(): void;
    /**
     * Frees the live table, as {@link free} does, at the end of a block with `using`.
     *
     * @example
     * using live = client.watchTable(42, "topics");
     */
    [DISPOSE](): void;
}
export {};

// node.d.ts

export * from "./inline.js";

// options.d.ts

import type { HeadersLike } from "./platform.js";
import type { FindingsTable } from "./table.js";
import type { PartitionChange, Progress } from "./progress.js";
/**
 * The options of a client, for all its calls. A call takes only the options that apply to it: see
 * {@link CountsOptions}, {@link PartitionOptions}, {@link FindingsOptions} and {@link StreamOptions}. The call's value
 * wins, except as noted.
 *
 * Options are copied when you pass them; getters and inherited members count, and `undefined` means absent. A call
 * rejects with a `TypeError` if an option is unknown, does not apply to the call, or has the wrong type. It rejects
 * with a `RangeError` if a number is out of range. If a getter throws, the call rejects with that error.
 *
 * @example
 * const options: Options = {
 *   baseUrl: "https://service.example/cxi/",
 *   signal: AbortSignal.timeout(60_000),
 *   onProgress: ({ partitionsDone, partitions }) => console.log(`${partitionsDone} of ${partitions}`),
 * };
 */
export interface Options {
    /**
     * The URL of the service. It may have a path; a missing slash at its end is added. A relative URL is resolved against the page when
     * you pass it. Its scheme is http or https, and it must not have a query string, a fragment or credentials.
     *
     * Warning: if a call's `baseUrl` points to another origin, the client's static `headers` are sent there too. Pass
     * separate `headers` to such a call, or pass the client a function that checks `url`.
     *
     * @default the page's base URL; a `TypeError` where there is no page, as in Node
     */
    baseUrl?: string | URL | undefined;
    /**
     * The headers of every request, or a function that returns them, called before every attempt. A header without a value
     * (`undefined` or `null`) is a `TypeError`.
     *
     * After a 401, the function is called once more with `status: 401`, for all pending requests to that origin together.
     * Each of these requests is then repeated once. Headers returned after a 401 are never sent to another origin.
     *
     * Static headers are sent with every request, to any origin. A function receives the request's `url`, so that it can
     * return a token only for the token's origin.
     *
     * If the service is on another origin than the page, a header that CORS does not safelist, such as `authorization`,
     * makes the browser send a preflight request for each path.
     *
     * @default none
     * @example
     * const options: Options = {
     *   headers: ({ url }) => ({ Authorization: sessionStorage.getItem(new URL(url).origin) ?? "" }),
     * };
     */
    headers?: HeadersLike | ((context: HeadersContext) => HeadersLike | Promise<HeadersLike>) | undefined;
    /**
     * Whether requests include cookies, as in `fetch`.
     *
     * @default "same-origin"
     */
    credentials?: "omit" | "same-origin" | "include" | undefined;
    /**
     * How requests use the browser's cache, as in `fetch`. A cached partition that does not match the current counts would be
     * wrong data without an error.
     *
     * @default "no-store"
     */
    cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache" | "only-if-cached" | undefined;
    /**
     * A function that replaces the global `fetch`. It is called with the URL and an init object, with `this` undefined.
     * The package reads these members of its response: `status`, `headers`, and `body` or `arrayBuffer()`.
     *
     * @default the global `fetch`
     */
    fetch?: ((href: string, init: RequestInit) => Promise<Response>) | undefined;
    /**
     * Where bodies are decoded:
     *
     * - `"auto"`: in a worker for large inspections, if a worker can be started; otherwise on the calling thread
     * - `true`: in a worker
     * - `false`: on the calling thread
     * - a string or `URL`: in a worker whose script, the package's `worker.js`, is at that URL
     * - a function: in the worker that it returns, which runs that script
     *
     * The calling thread always sends the requests. All clients of a page share one worker for each script. It starts
     * with the first call that needs it, and ends after 30 seconds without a call. If the worker cannot be started, calls
     * with `true`, a URL or a function reject with code `load`. `"auto"` falls back to the calling thread, and tries
     * again after a minute at the earliest. `"auto"` also decodes single partitions on the calling thread, and all bodies
     * in your own worker and where `Worker` does not exist, as in Node.
     *
     * @default "auto"
     */
    worker?: boolean | "auto" | (string & {}) | URL | (() => Worker) | undefined;
    /**
     * Aborts the call: its promise rejects with `signal.reason`, and all pending work is cancelled. `null` in a call
     * turns the client's signal off.
     *
     * @default none
     */
    signal?: AbortSignal | null | undefined;
    /**
     * The maximum number of requests in flight, 1 to 1 000. The client's value limits all its calls together; a call's
     * value can only lower that call's share. Over HTTP/1.1, a browser sends six at a time. The others wait, and
     * `timeout` includes that wait.
     *
     * @default 8
     */
    concurrency?: number | undefined;
    /**
     * The limit of one attempt in milliseconds, 1 to 2 147 483 647. An attempt includes the `headers` function, the response
     * and its whole body.
     *
     * @default 30000
     */
    timeout?: number | undefined;
    /**
     * The limit of the whole call in milliseconds, 1 to 2 147 483 647.
     *
     * @default none
     */
    totalTimeout?: number | undefined;
    /**
     * How often to retry each request after its first attempt, 0 to 1 000. Broken connections, timeouts, and the statuses
     * 408, 429, 500, 502, 503 and 504 are retried. The delay before a retry is random. Its upper limit is 300 ms at
     * first, doubles each time, and is at most 20 s.
     *
     * @default 3
     */
    retries?: number | undefined;
    /**
     * The longest `Retry-After` to wait for, in milliseconds, 0 to 2 147 483 647. If the service asks for a longer wait,
     * or for one beyond `totalTimeout`, the call fails at once.
     *
     * @default 60000
     */
    maxRetryAfter?: number | undefined;
    /**
     * What happens if the number of findings received is not the total: the call rejects with code `incomplete`, logs a
     * warning, or ignores it.
     *
     * @default "strict"
     */
    completeness?: "strict" | "warn" | "off" | undefined;
    /**
     * The longest body in bytes, 1 to 2 147 483 647. A longer body is rejected: at once if its length is known, otherwise
     * while it is read.
     *
     * @default 268435456 (256 MiB)
     */
    maxPartitionBytes?: number | undefined;
    /**
     * What happens if a partition fails: the call rejects at once, or it fetches all other partitions first and then rejects
     * with code `partial` and the members `findings` or `table`, `failures` and `resume` of the error. `"collect"` is a
     * `TypeError` for a stream.
     *
     * @default "fail-fast"
     */
    failurePolicy?: "fail-fast" | "collect" | undefined;
    /**
     * The order of the partitions of a stream: by index, or each as soon as it is complete.
     *
     * @default "index"
     */
    order?: "index" | "completion" | undefined;
    /**
     * The maximum number of bytes in unread bodies and findings, 1 to 4 294 967 295. A partition is requested if the
     * largest partition so far would still fit, or if the reader waits for it. The client's value limits all its calls
     * together; a call's value can only lower that call's share.
     *
     * @default 67108864 (64 MiB)
     */
    maxBufferedBytes?: number | undefined;
    /**
     * Converts a counts response in another shape; called only if its `errors` are null or absent. Must be synchronous.
     * Return at least the requested kind.
     *
     * @default reads `SentimentPartitions`, `SentimentFindings`, `TopicPartitions` and `TopicFindings`
     */
    readCounts?: ((response: any) => {
        sentiment?: {
            partitions: number;
            findings?: number | null | undefined;
        } | null | undefined;
        topics?: {
            partitions: number;
            findings?: number | null | undefined;
        } | null | undefined;
    }) | undefined;
    /**
     * Called when the counts are known, and then after each partition. If it throws, or returns a promise that rejects,
     * the call rejects with that error.
     *
     * @default none
     */
    onProgress?: ((progress: Progress) => void) | undefined;
    /**
     * Called whenever the state of a partition, or of the counts, changes. If it throws, or returns a promise that rejects, the call rejects
     * with that error.
     *
     * @default none
     */
    onPartition?: ((change: PartitionChange) => void) | undefined;
    /**
     * The names of the columns that findings keep, as `table.columns` lists them. The name of an object stands for all
     * fields below it. Objects have only these fields, and tables have only these columns. All other fields are checked and
     * skipped: they take no memory. An empty list keeps only the number of findings. A name that no finding has is not an
     * error. A call's list replaces the client's list; `resume()` keeps the list of its call.
     *
     * @default all columns
     * @example
     * const options: Options = { columns: ["TopicGroup", "Sentiment", "Topic.Text"] };
     */
    columns?: readonly string[] | undefined;
    /**
     * Whether each attempt and each partition is recorded as a `performance.measure`, which developer tools show on a
     * separate track. The host keeps the measures until `performance.clearMeasures` is called.
     *
     * @default false
     */
    measure?: boolean | undefined;
}
/** The options of a call for the counts: {@link Options} without the options for partitions. */
export interface CountsOptions extends Omit<Options, "concurrency" | "completeness" | "failurePolicy" | "order" | "maxBufferedBytes" | "onProgress" | "onPartition" | "columns"> {
}
/** The options of a call for one partition: {@link Options} without the options for the counts or for several partitions. */
export interface PartitionOptions extends Omit<Options, "concurrency" | "completeness" | "failurePolicy" | "order" | "maxBufferedBytes" | "readCounts"> {
}
/** The options of a call for all findings: {@link Options} without `order`. */
export interface FindingsOptions extends Omit<Options, "order"> {
}
/** The options of `loadTable` and `watchTable`: {@link FindingsOptions} and `from`. */
export interface TableOptions extends FindingsOptions {
    /**
     * A table with some or all partitions of the same inspection and kind: of `loadTable`, `watchTable`, a `partial` error
     * or {@link FindingsTable.fromBytes}. The call reads the counts. If they equal the table's counts, it requests only the
     * missing partitions, and none for a complete table. If they differ, it requests everything. The table stays usable,
     * and you can free it right after the call. A view, the table of a single partition, and a table of another inspection, kind or
     * list of `columns` are a `TypeError`.
     *
     * Warning: the service has no versions. If an inspection is re-analysed and its totals stay the same, the call cannot tell, and
     * resolves with the earlier findings.
     *
     * @default none
     */
    from?: FindingsTable<unknown> | undefined;
}
/** The options of `resume()`: {@link FindingsOptions} without `columns`, because it keeps the columns of its call. */
export interface ResumeOptions extends Omit<FindingsOptions, "columns"> {
}
/** The options of a stream: {@link Options}, whose `failurePolicy` can only be `"fail-fast"`. */
export interface StreamOptions extends Options {
    /** A stream delivers every partition before the failed one, so it cannot collect. */
    failurePolicy?: "fail-fast" | undefined;
}
/** The options of a call whose findings have only the columns with these names, or all of them if the call does not list them. */
export type WithColumns<CallOptions, Name extends string> = CallOptions & {
    columns?: readonly Name[] | undefined;
};
/** The attempt for which a `headers` function returns headers. */
export interface HeadersContext {
    /** The number of the attempt, from 1. */
    attempt: number;
    /** The HTTP status of the previous attempt, if it had one; 401 if the headers have expired. */
    status: number | undefined;
    /**
     * The URL of the request. After a 401, the URL of one of the requests that wait for new headers; all of them go to
     * the same origin.
     */
    url: string;
}

// platform.d.ts

declare global {
    interface AbortSignal {
    }
    interface Headers {
    }
    interface ReadableStream<R = any> {
    }
    interface Request {
    }
    interface RequestInit {
    }
    interface Response {
    }
    interface URL {
    }
    interface Worker {
    }
    namespace WebAssembly {
        interface Module {
        }
    }
}
/** Headers as `fetch` takes them. */
export type HeadersLike = [string, string][] | Record<string, string> | Headers;
/** A source of the `.wasm` file: its URL, a response with it, its bytes, or the compiled module. */
export type ModuleSource = string | URL | Request | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module;

// progress.d.ts

import type { FindingsError } from "./error.js";
/** The progress of a call. */
export interface Progress {
    /** Number of partitions received. */
    partitionsDone: number;
    /** Number of all partitions. */
    partitions: number;
    /** Number of findings received. */
    findingsDone: number;
    /** Total number of findings; null if the service reports none. */
    findings: number | null;
    /** Size of the bodies of the partitions received, in bytes after decompression. */
    bytes: number;
    /** Number of retries of all requests, the counts request included. */
    retries: number;
    /** Where the last partition was decoded; undefined before the first. */
    decodedIn?: "page" | "worker";
}
/** A change of the state of a partition, or of the request for the counts. */
export interface PartitionChange {
    /** The index of the partition; null for the counts. */
    index: number | null;
    /**
     * The new state: `"requested"` when the first attempt begins, `"retrying"` when an attempt has failed and another will
     * follow, `"received"` when the findings or counts are complete, `"failed"` when there will be no other attempt.
     */
    state: "requested" | "retrying" | "received" | "failed";
    /** The number of the attempt, from 1: for `"requested"` and `"retrying"` the next one, otherwise the last one. */
    attempt: number;
    /** The number of findings, once received; before that 0. */
    findings: number;
    /** The size of the body in bytes, once received; before that 0. */
    bytes: number;
    /** For `"retrying"` and `"failed"`: the error of the attempt that failed, without `findings`. */
    error?: FindingsError;
    /**
     * For `"retrying"`: milliseconds until the next attempt. It can begin later if the service asks the client to pause
     * meanwhile, and earlier if the browser was offline and is online again.
     */
    delay?: number;
}

// react.d.ts

export { type FindingsState, useFindings } from "./use-findings.js";
export { useLiveTable } from "./use-live-table.js";

// slim.d.ts

import type { ModuleSource } from "./platform.js";
export * from "./exports.js";
export type { ModuleSource };
/**
 * Loads the `.wasm` file. Await this before the first call. Later calls of `init` have no effect; after a failure you
 * can call it again.
 *
 * @param source the URL of `inspection_findings_bg.wasm`, a response with it, its bytes, or the compiled module
 * @default the file beside this one
 * @returns a promise that rejects with a {@link FindingsError} of code `load` if it cannot be loaded
 * @example
 * import { getFindings, init } from "inspection-findings/slim";
 *
 * await init("/assets/inspection_findings_bg.wasm");
 * const findings = await getFindings(42, "sentiment");
 */
export declare function init(source?: ModuleSource | Promise<ModuleSource>): Promise<void>;

// stream.d.ts

import { ASYNC_DISPOSE } from "./dispose.js";
import type { InspectionFinding } from "./finding.js";
import type { FindingsTable } from "./table.js";
/** A partition of a stream. */
export interface Partition<Finding = InspectionFinding> {
    /** The index of the partition, from 0. */
    index: number;
    /** The findings of the partition, in their order. */
    findings: Finding[];
}
/**
 * The partitions of one kind of findings, in index order or as they complete (option `order`).
 *
 * The stream starts with the first `next()`, and can be read once. It fetches at most `concurrency` partitions and
 * `maxBufferedBytes` ahead of you. If you stop reading, it stops fetching. Leaving a `for await` loop, `return()`,
 * `await using` and an abort cancel all pending work.
 *
 * If a partition fails, the stream first delivers everything before it; then `next()` rejects. At its end the stream
 * compares the number of findings with the total (option `completeness`).
 *
 * @example
 * for await (const { index, findings } of client.streamPartitions(42, "sentiment", { order: "completion" })) {
 *   console.log(index, findings.length);
 *   if (findings.some(({ Sentiment }) => Sentiment === -2)) break;
 * }
 */
export interface PartitionStream<Finding = InspectionFinding> extends AsyncIterableIterator<Partition<Finding>, undefined> {
    /**
     * Returns the partitions that have not been read yet as a `ReadableStream`, for `pipeTo` and `pipeThrough`.
     *
     * @example
     * await client.streamPartitions(42, "topics").toReadableStream().pipeTo(
     *   new WritableStream({ write: ({ index, findings }) => console.log(index, findings.length) }),
     * );
     */
    toReadableStream(): ReadableStream<Partition<Finding>>;
    /**
     * Cancels all pending work, as leaving a `for await` loop does, at the end of a block with `await using`.
     *
     * @example
     * await using stream = client.streamPartitions(42, "topics");
     * const first = await stream.next();
     */
    [ASYNC_DISPOSE](): Promise<void>;
}
/**
 * The partitions of one kind of findings as tables, in index order or as they complete (option `order`).
 *
 * It fetches, ends and fails like a {@link PartitionStream}. Free each table that you have read; at its end, the stream
 * frees the unread tables.
 *
 * @example
 * for await (const { index, table } of client.streamTables(42, "sentiment")) {
 *   using read = table;
 *   console.log(index, read.length);
 * }
 */
export interface TableStream<Finding = InspectionFinding> extends AsyncIterableIterator<{
    index: number;
    table: FindingsTable<Finding>;
}, undefined> {
    /**
     * Returns the tables that have not been read yet as a `ReadableStream`, for `pipeTo` and `pipeThrough`.
     *
     * @example
     * await client.streamTables(42, "topics").toReadableStream().pipeTo(
     *   new WritableStream({
     *     write({ index, table }) {
     *       console.log(index, table.length);
     *       table.free();
     *     },
     *   }),
     * );
     */
    toReadableStream(): ReadableStream<{
        index: number;
        table: FindingsTable<Finding>;
    }>;
    /**
     * Cancels all pending work, as leaving a `for await` loop does, at the end of a block with `await using`.
     *
     * @example
     * await using stream = client.streamTables(42, "topics");
     * const first = await stream.next();
     */
    [ASYNC_DISPOSE](): Promise<void>;
}
/** A partition as a stream delivers it: with its findings, or with a table that has to be freed. */
export interface Delivered {
    readonly index: number;
    readonly table?: {
        free(): void;
    };
}
/** The source of the partitions, once the call has begun. */
export interface PartitionSource<Item> {
    /** Waits for the next partition; undefined at the end. */
    next(): Promise<Item | undefined>;
    /** Ends the call. */
    free(): void;
}
/** The stream of a call. The first read begins the call, unless the signal has already been aborted. */
export declare class PartitionIterator<Item extends Delivered> implements AsyncIterableIterator<Item, undefined> {
    #private;
    constructor(open: (ended: AbortSignal) => Promise<PartitionSource<Item>>);
    next(): Promise<IteratorResult<Item, undefined>>;
    return(): Promise<IteratorResult<Item, undefined>>;
    [ASYNC_DISPOSE](): Promise<void>;
    [Symbol.asyncIterator](): this;
    toReadableStream(): ReadableStream<Item>;
}

// table.d.ts

import type { AnyString, ColumnName, ColumnValue, FindingOf, GroupKey, ListOf, NamedColumn, NumberColumnName, NumberName, Picked } from "./column-name.js";
import { type Condition } from "./condition.js";
import { DISPOSE } from "./dispose.js";
import type { InspectionFinding } from "./finding.js";
/** The number of findings with one combination of values. */
export interface Count<Key = unknown[]> {
    /** The value of each column, in the order of the arguments. */
    key: Key;
    /** The number of findings. */
    count: number;
}
/** Statistics of the numbers of one group of findings. */
export interface Summary<Key = unknown[]> {
    /** The value of each column of the group, in the order of the argument. */
    key: Key;
    /** How many findings of the group have a number in the column; not the number of findings. */
    count: number;
    /** The sum of the numbers; 0 if there are none. */
    sum: number;
    /** The smallest number; `Infinity` if there are none. */
    min: number;
    /** The largest number; `-Infinity` if there are none. */
    max: number;
    /** The mean of the numbers; `NaN` if there are none. */
    mean: number;
}
/** The columns whose numbers are summarized, by the statistic. */
export type StatisticColumns<Name extends string = string> = {
    readonly [Statistic in "sum" | "min" | "max" | "mean"]?: Name;
};
/** Conditions by the names of the columns of findings of a type. */
type ConditionsOf<Finding> = {
    readonly [Name in ColumnName<Finding>]?: Condition<ColumnValue<Finding, Name>>;
};
/**
 * Findings in columns outside the JavaScript heap, returned by {@link FindingsClient.loadTable}. Queries are synchronous.
 *
 * The name of a column is the dotted path of its values, such as `"Topic.Text"`; a dot inside a key is written `\\.`. A
 * missing field is `undefined`, and null is null. An unknown name throws a `RangeError` that lists the columns. If an
 * inspection may lack a column, look for it in {@link columns} first. A table without findings returns empty results
 * for any name.
 *
 * {@link filter} and {@link sortBy} return views that share the columns. {@link free}, `using` or garbage collection
 * frees a table. Its views keep the columns until they are freed, too. Every use of a freed table throws a `TypeError`.
 * If WebAssembly has stopped because memory ran out, every use throws a {@link FindingsError} of code `memory`. You can
 * always read {@link freed} and log the table.
 *
 * @example
 * using table = await client.loadTable(42, "sentiment");
 * using complaints = table.filter({ Sentiment: { max: -1 } });
 * for (const { key, count } of complaints.countBy("TopicGroup")) console.log(key[0], count);
 */
export declare class FindingsTable<Finding = InspectionFinding> implements Iterable<Finding> {
    #private;
    private constructor();
    /**
     * Whether {@link free} has been called: every other use then throws a `TypeError`.
     *
     * @example
     * const rows = table.freed ? [] : table.slice(0, 20);
     */
    get freed(): boolean;
    /**
     * The number of findings.
     *
     * @example
     * console.log(`${table.length} findings in ${table.byteLength} bytes`);
     */
    get length(): number;
    /** The size in WebAssembly memory, in bytes. The size of a view includes the shared columns. */
    get byteLength(): number;
    /**
     * The names of the columns, in the order of their first occurrence.
     *
     * @example
     * const topics = table.columns.includes("Topic.Text") ? table.countBy("Topic.Text") : [];
     */
    get columns(): string[];
    /**
     * Whether queries miss fields: true if a finding has the same key twice, more than 1 024 fields, or a field beyond
     * the 4 095th path of the table. {@link at}, {@link slice}, {@link toArray} and iteration return such a finding with
     * all its fields, but it has no columns: queries treat its fields as missing. A view has the same value as its table.
     *
     * @example
     * if (table.columnsTruncated) console.warn("Some findings are missing in the charts");
     */
    get columnsTruncated(): boolean;
    /**
     * The indexes of the partitions whose findings the table has, in ascending order. Empty for a view.
     *
     * @example
     * const isMissing = !table.partitions.includes(7);
     */
    get partitions(): number[];
    /**
     * Whether the table has all findings of its kind: true for a table that {@link FindingsClient.loadTable} has resolved
     * with, false for the table of a single partition, of a call that lacks partitions, and for a view with fewer findings.
     *
     * @example
     * if (!table.isComplete) console.log(`${table.partitions.length} partitions so far`);
     */
    get isComplete(): boolean;
    /**
     * When {@link toBytes} was called, for a table of {@link FindingsTable.fromBytes}; otherwise undefined.
     *
     * @example
     * console.log(`As of ${table.savedAt?.toLocaleString() ?? "now"}`);
     */
    get savedAt(): Date | undefined;
    /**
     * Opens a table that {@link toBytes} has written. Loads the `.wasm` file first if necessary, and works in time slices.
     * Do not change the bytes until the promise settles.
     *
     * @returns the table, with the same findings and the same results of every query. Rejects with a {@link FindingsError}
     * of code `bytes`, whose `reason` says what is wrong with the bytes, or of code `load` or `memory`.
     * @throws TypeError if the argument is neither a typed array nor an `ArrayBuffer`
     * @example
     * using again = await FindingsTable.fromBytes(table.toBytes());
     */
    static fromBytes<Finding = InspectionFinding>(bytes: ArrayBufferView | ArrayBufferLike): Promise<FindingsTable<Finding>>;
    /**
     * Builds the finding at an index; a negative index counts from the end, as for `Array.prototype.at`.
     *
     * @returns undefined if the index is out of range
     * @example
     * const last = table.at(-1);
     */
    at(index: number): Finding | undefined;
    /**
     * Builds the findings from `start` to before `end`; the indexes work as in `Array.prototype.slice`.
     *
     * @example
     * const firstPage = table.slice(0, 20);
     */
    slice(start?: number, end?: number): Finding[];
    /**
     * Builds all findings, in about a microsecond each.
     *
     * @example
     * const findings = table.toArray();
     */
    toArray(): Finding[];
    /**
     * Iterates over the findings, and builds a few hundred at a time.
     *
     * @example
     * for (const finding of table) console.log(finding.Comment);
     */
    [Symbol.iterator](): Generator<Finding, undefined>;
    /**
     * Copies the values of a column, into an `Int32Array` if all of them are small integers. Takes a few nanoseconds per
     * finding, and decodes each distinct string once.
     *
     * @throws RangeError if no finding has a value under this name
     * @example
     * const sentiments = table.column("Sentiment");
     */
    column<Self, Name extends ColumnName<FindingOf<Self>>>(this: Self, path: Name): ArrayLike<ColumnValue<FindingOf<Self>, Name>> & Iterable<ColumnValue<FindingOf<Self>, Name>>;
    column<Name extends string>(path: AnyString<Name>): ArrayLike<unknown> & Iterable<unknown>;
    /**
     * Counts the findings for each combination of values in these columns. The most frequent combination comes first;
     * equal counts are in the order of first occurrence. Arrays are equal if `JSON.stringify` writes the same text for
     * both. An object whose fields have separate columns counts as `{}`. Takes a few nanoseconds per finding and column.
     *
     * Pass the names as arguments or as one list: `countBy("TopicGroup", "Sentiment")` equals `countBy(["TopicGroup", "Sentiment"])`.
     *
     * The groups of a table of a {@link LiveTable} are frozen, because its tables share unchanged groups.
     *
     * @throws RangeError if no finding has a value under one of these names
     * @example
     * for (const { key: [topic, sentiment], count } of table.countBy("Topic.Text", "Sentiment")) {
     *   console.log(topic, sentiment, count);
     * }
     */
    countBy<Self, const Names extends readonly ColumnName<FindingOf<Self>>[] | readonly [readonly ColumnName<FindingOf<Self>>[]]>(this: Self, ...names: Names): Count<GroupKey<FindingOf<Self>, ListOf<Names>>>[];
    countBy<Self, Name extends string>(this: Self, ...names: readonly (ColumnName<FindingOf<Self>> | AnyString<Name>)[] | readonly [readonly (ColumnName<FindingOf<Self>> | AnyString<Name>)[]]): Count[];
    /**
     * Summarizes the numbers of the column `value` by the values of the columns `groupBy`, in the order of {@link countBy}.
     * Takes a few nanoseconds per finding and column. Results are frozen where {@link countBy} freezes its groups.
     *
     * For values of several columns, pass the column of each statistic. The result has the groups of {@link countBy} with
     * these numbers; they are new objects in each result. Groups once for each column.
     *
     * @param groupBy the name of a column, or a list of names
     * @throws RangeError if no finding has a value under one of these names
     * @example
     * const [mostFrequent] = table.summarize("TopicGroup", "Sentiment");
     * console.log(mostFrequent?.key[0], mostFrequent?.mean);
     * for (const { key, count, mean, max } of table.summarize("TopicGroup", { mean: "Sentiment", max: "RespondentKey" })) {
     *   console.log(key[0], count, mean, max);
     * }
     */
    summarize<Self, const Names extends ColumnName<FindingOf<Self>> | readonly ColumnName<FindingOf<Self>>[], Value extends NumberColumnName<FindingOf<Self>>>(this: Self, groupBy: Names, value: Value & NumberName<FindingOf<Self>, Value>): Summary<GroupKey<FindingOf<Self>, ListOf<Names>>>[];
    summarize<Self, const Names extends ColumnName<FindingOf<Self>> | readonly ColumnName<FindingOf<Self>>[], Values extends StatisticColumns<NumberColumnName<FindingOf<Self>>>>(this: Self, groupBy: Names, values: Values): (Count<GroupKey<FindingOf<Self>, ListOf<Names>>> & {
        [Statistic in keyof Values]-?: number;
    })[];
    summarize<Self, Name extends string, Value extends string>(this: Self, groupBy: ColumnName<FindingOf<Self>> | AnyString<Name> | readonly (ColumnName<FindingOf<Self>> | AnyString<Name>)[], value: NumberName<FindingOf<Self>, Value> | AnyString<Value>): Summary[];
    summarize<Self, Name extends string, Values extends StatisticColumns>(this: Self, groupBy: ColumnName<FindingOf<Self>> | AnyString<Name> | readonly (ColumnName<FindingOf<Self>> | AnyString<Name>)[], values: {
        [Statistic in keyof Values]: AnyString<Values[Statistic] & string>;
    }): (Count & {
        [Statistic in keyof Values]-?: number;
    })[];
    /**
     * Returns a view of the findings that meet all conditions, in the same order. With a list of alternatives, a finding has to
     * meet all conditions of at least one. Takes a few nanoseconds per finding and condition; `contains` also searches each
     * distinct string once.
     *
     * @param where a {@link Condition} for each column name, or a list of such objects
     * @throws RangeError if no finding has a value under one of these names
     * @throws TypeError if a condition is invalid
     * @example
     * using refunds = table.filter({ Sentiment: { max: -1 }, Comment: { contains: "refund" } });
     * using urgent = table.filter([{ Sentiment: -2 }, { TopicGroup: { not: ["Other", null] }, Sentiment: -1 }]);
     */
    filter<Self>(this: Self, where: ConditionsOf<FindingOf<Self>> | readonly ConditionsOf<FindingOf<Self>>[]): FindingsTable<Finding>;
    filter<Where extends Record<string, Condition>>(where: string extends keyof Where ? Where | readonly Where[] : never): FindingsTable<Finding>;
    /**
     * Returns a view of the findings, sorted by a column, or by several, the most important one first; findings with equal
     * values keep their order. Numbers come first, then strings by code units, booleans, arrays and objects; null and missing
     * values come last in both directions. Sorts the distinct values of each column, and takes a few nanoseconds per finding.
     *
     * @param direction for all columns, or a list with the direction of each
     * @default direction "asc"
     * @throws RangeError if no finding has a value under this name
     * @example
     * using worstFirst = table.sortBy("Sentiment");
     * const worst = worstFirst.slice(0, 10);
     * using byGroup = table.sortBy(["TopicGroup", "Sentiment"], ["asc", "desc"]);
     */
    sortBy<Self, Name extends string>(this: Self, names: ColumnName<FindingOf<Self>> | AnyString<Name> | readonly (ColumnName<FindingOf<Self>> | AnyString<Name>)[], direction?: "asc" | "desc" | readonly ("asc" | "desc" | undefined)[] | undefined): FindingsTable<Finding>;
    /**
     * Copies some columns into a separate table. Its findings have only these fields, as with the option `columns`. The
     * name of an object stands for all fields below it. The copy needs no memory of this table, so you can free this table.
     * Takes tens of nanoseconds per finding and column, and copies each string once.
     *
     * A copy of a whole table has its {@link partitions}, so a call with the same `columns` can continue from it. Without
     * names, the copy has findings without fields.
     *
     * Pass the names as arguments or as one list.
     *
     * @throws RangeError if no finding has a value under one of these names, or below it
     * @example
     * using charts = table.select("TopicGroup", "Sentiment", "Topic");
     * console.log(charts.byteLength / table.byteLength, charts.at(0)); // { TopicGroup: …, Topic: { … }, Sentiment: … }
     */
    select<Self, const Names extends readonly NamedColumn<FindingOf<Self>>[] | readonly [readonly NamedColumn<FindingOf<Self>>[]]>(this: Self, ...names: Names): FindingsTable<Picked<FindingOf<Self>, ListOf<Names>[number]>>;
    /**
     * Summarizes the table for `JSON.stringify`, without findings, because a log should not contain what respondents
     * wrote. Use {@link toArray} for the findings. In Node, `console.log` also shows the names of the columns.
     *
     * @example
     * console.log(JSON.stringify(table)); // {"freed":false,"length":4711,"byteLength":845210}
     */
    toJSON(): {
        freed: boolean;
        length?: number;
        byteLength?: number;
    };
    /**
     * Writes the table as bytes that you can store and open with {@link FindingsTable.fromBytes}: its findings, its kind,
     * its inspection, the counts and its {@link partitions}. A view writes only its rows. The bytes contain what respondents
     * wrote. They are for this version of the package: another version may reject them. Takes a few hundred nanoseconds per finding.
     *
     * @throws TypeError if it is the first snapshot of a {@link LiveTable} and the `.wasm` file has not loaded
     * @example
     * const bytes = table.toBytes();
     * console.log(`${table.length} findings in ${bytes.length} bytes`);
     */
    toBytes(): Uint8Array<ArrayBuffer>;
    /**
     * Frees the table, and its columns unless a view shares them. Calling it again has no effect.
     *
     * @example
     * const table = await client.loadTable(42, "topics");
     * console.log(table.countBy("TopicGroup"));
     * table.free();
     */
    free(): void;
    /**
     * Frees the table, as {@link free} does, at the end of a block with `using`.
     *
     * @example
     * using table = await client.loadTable(42, "topics");
     */
    [DISPOSE](): void;
}
export {};

// testing.d.ts

import type { FakeService, FakeServiceOptions } from "./fake-service.js";
export type { FakeRequest, FakeService, FakeServiceOptions, Faults, FindingsSize, ReceivedRequest, Scenario, ScenarioName, } from "./fake-service.js";
/**
 * Makes an inspection service in memory, for tests, stories and demos. It has the same findings under every inspection
 * key. Its behaviour depends only on its options: the same seed gives the same bytes, latencies and failures in every
 * engine.
 *
 * Findings are invented when a partition is read. A finding is about 550 bytes of JSON; most comments yield several findings, in four
 * languages, with emoji and with text that looks like markup.
 *
 * @param options all optional; the default is a small inspection without faults
 * @returns the service. Throws a `TypeError` or `RangeError` for wrong options.
 * @example
 * import { createFakeService } from "inspection-findings/testing";
 *
 * const service = createFakeService({ seed: 7, topics: { findings: 1_000, partitions: 5 } });
 * const client = new FindingsClient({ baseUrl: service.baseUrl, fetch: service.fetch });
 * const findings = await client.getFindings(42, "topics");
 * console.log(findings.length, service.requests.length); // 1000 findings, 6 requests
 */
export declare function createFakeService(options?: FakeServiceOptions): FakeService;

// use-findings.d.ts

import type { FindingsClient } from "./client.js";
import type { FindingsOptions, WithColumns } from "./options.js";
import type { Progress } from "./progress.js";
import type { NamedColumn, Picked } from "./column-name.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "./finding.js";
/** What {@link useFindings} returns. */
export type FindingsState<Finding = InspectionFinding> = 
/** Before the end, on a server too. */
{
    state: "loading";
    findings?: undefined;
    error?: undefined;
    progress?: Progress | undefined;
}
/** All findings have arrived. */
 | {
    state: "complete";
    findings: Finding[];
    error?: undefined;
    progress: Progress;
}
/** Some partitions are missing, with `failurePolicy: "collect"`: `error.resume()` fetches them. */
 | {
    state: "partial";
    findings: Finding[];
    error: unknown;
    progress: Progress;
}
/** The call has failed, or its signal or client has ended it. */
 | {
    state: "failed" | "aborted";
    findings?: undefined;
    error: unknown;
    progress: Progress;
};
/**
 * Loads all findings of an inspection as objects while the component is mounted. Loads, ends and repeats like
 * {@link useLiveTable}; builds the findings in time slices when all have arrived, and frees their table.
 *
 * @param client create it outside of components, or keep it in state
 * @param options read when loading starts. Later changes have no effect, except of the names in `columns`
 * @returns the state, with `findings` or `error`, and the progress. `findings` is the same array in every render.
 * @example
 * import { useFindings } from "inspection-findings/react";
 *
 * function Comments({ client, inspectionKey }: { client: FindingsClient; inspectionKey: string }) {
 *   const { state, findings, error } = useFindings(client, inspectionKey, "topics");
 *   if (state === "failed") return String(error);
 *   return findings?.map(({ Comment }) => Comment).join("\n") ?? "Loading …";
 * }
 */
export declare function useFindings<Finding = InspectionFinding, const Name extends NamedColumn<Finding> = string>(client: FindingsClient, inspectionKey: InspectionKey, kind: FindingKind, options?: WithColumns<FindingsOptions, Name>): FindingsState<Picked<Finding, Name>>;

// use-live-table.d.ts

import type { FindingsClient } from "./client.js";
import type { FindingsOptions, WithColumns } from "./options.js";
import type { LiveSnapshot } from "./live-table-types.js";
import type { NamedColumn, Picked } from "./column-name.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "./finding.js";
/**
 * Loads the findings of an inspection while the component is mounted, and renders it again whenever more have arrived. The
 * hook of {@link FindingsClient.watchTable}: it loads once in `StrictMode`, nothing on a server, and ends loading when the
 * component unmounts. It loads again if the inspection, the kind, the client or the names in `columns` change.
 *
 * Do not free the table of a snapshot: React may still render an earlier one. Garbage collection frees it.
 *
 * @param client create it outside of components, or keep it in state
 * @param options read when loading starts. Later changes have no effect, except of the names in `columns`; the list may be
 * new in each render
 * @returns the latest snapshot; undefined on a server and before the component is mounted
 * @example
 * import { useLiveTable } from "inspection-findings/react";
 *
 * function Total({ client, inspectionKey }: { client: FindingsClient; inspectionKey: string }) {
 *   const snapshot = useLiveTable(client, inspectionKey, "sentiment");
 *   return snapshot?.state === "failed" ? "Failed" : `${snapshot?.table.length ?? 0} findings`;
 * }
 */
export declare function useLiveTable<Finding = InspectionFinding, const Name extends NamedColumn<Finding> = string>(client: FindingsClient, inspectionKey: InspectionKey, kind: FindingKind, options?: WithColumns<FindingsOptions, Name>): LiveSnapshot<Picked<Finding, Name>> | undefined;

// worker.d.ts

export {};

// workerd.d.ts

export * from "./exports.js";
