// The public types, as `npm run update:types` copies them from dist/. Not to be edited.

// client.d.ts

import type { FindingKind, InspectionFinding, Options, PartitionCounts } from "./inspection_findings.js";
import { type PartitionStream } from "./stream.js";
import type { FindingsTable } from "./table.js";
/**
 * A client for one inspection service. Its calls share the options given here and a window of `concurrency` requests.
 *
 * @throws TypeError or RangeError, from each call, for options that are wrong.
 */
export declare class FindingsClient {
    #private;
    constructor(options?: Options);
    /**
     * How many partitions and findings of both kinds the service holds.
     *
     * @param inspectionKey a safe integer, or a bigint of at most 64 bits
     */
    getPartitionCounts(inspectionKey: number | bigint, options?: Options): Promise<PartitionCounts>;
    /**
     * The findings of one partition, by one request.
     *
     * @param partitionIndex an integer from 0
     */
    getPartition<Finding = InspectionFinding>(inspectionKey: number | bigint, kind: FindingKind, partitionIndex: number, options?: Options): Promise<Finding[]>;
    /**
     * All findings of one kind, in the order of the partitions: every one of them, or an error.
     *
     * The service has no snapshots: an inspection that is analysed anew while it is read can only be noticed by its
     * totals, which are compared (see `completeness`).
     */
    getFindings<Finding = InspectionFinding>(inspectionKey: number | bigint, kind: FindingKind, options?: Options): Promise<Finding[]>;
    /**
     * All findings of one kind as {@link getFindings} gets them, in columns outside the JavaScript heap: for many findings,
     * of which only some are looked at as rows.
     */
    loadTable<Finding = InspectionFinding>(inspectionKey: number | bigint, kind: FindingKind, options?: Options): Promise<FindingsTable<Finding>>;
    /**
     * The partitions of one kind one after the other, for findings that are to be worked on while more are on their way. Begins with
     * the first pull; see {@link PartitionStream}.
     */
    streamPartitions<Finding = InspectionFinding>(inspectionKey: number | bigint, kind: FindingKind, options?: Options): PartitionStream<Finding>;
    /** Ends the calls in flight, which are rejected with a `TypeError` as all later ones are. May be called again. */
    free(): void;
    /** The same as {@link free}, for `using`. */
    [Symbol.dispose](): void;
}
/** {@link FindingsClient.getPartitionCounts} of a client made from `options`. */
export declare function getPartitionCounts(inspectionKey: number | bigint, options?: Options): Promise<PartitionCounts>;
/** {@link FindingsClient.getPartition} of a client made from `options`. */
export declare function getPartition<Finding = InspectionFinding>(inspectionKey: number | bigint, kind: FindingKind, partitionIndex: number, options?: Options): Promise<Finding[]>;
/** {@link FindingsClient.getFindings} of a client made from `options`. */
export declare function getFindings<Finding = InspectionFinding>(inspectionKey: number | bigint, kind: FindingKind, options?: Options): Promise<Finding[]>;

// error.d.ts

import type { FindingKind, InspectionFinding, Options } from "./inspection_findings.js";
import type { FindingsTable } from "./table.js";
/**
 * What failed:
 *
 * - `network`: the request was refused or the connection broke; or a `fetch` of the caller's gave no response
 * - `timeout`: an attempt outran `timeout`, or the call outran `totalTimeout`
 * - `http`: a status outside 200 to 299, or a redirect
 * - `unauthorized`: 401 or 403
 * - `service`: `errors` of an answer is neither null nor absent
 * - `decode`: an answer is not what the contract of the service says
 * - `too-large`: a body is longer than `maxPartitionBytes`
 * - `incomplete`: the number of findings received is not the total that the service gave, or a call that was to go on found other
 *   counts than before
 * - `partial`: some partitions could not be had by a call whose `failurePolicy` is `"collect"`
 * - `load`: the WebAssembly module could not be loaded or started
 * - `memory`: there is no memory for what was received, or the WebAssembly module has stopped for want of it; the next
 *   call starts it afresh
 */
export type FindingsErrorCode = "network" | "timeout" | "http" | "unauthorized" | "service" | "decode" | "too-large" | "incomplete" | "partial" | "load" | "memory";
/** A partition that could not be had. */
export interface PartitionFailure {
    /** Its index. */
    readonly partitionIndex: number;
    /** Why. */
    readonly error: FindingsError;
}
/** Goes on with a call that could not get everything; gives what the call would have given. */
export type Resume = <Findings extends InspectionFinding[] | FindingsTable = InspectionFinding[]>(options?: Options) => Promise<Findings>;
/** What is known about a failure besides its code and message; each where it applies. */
export interface FindingsErrorDetails {
    readonly kind?: FindingKind;
    readonly inspectionKey?: number | bigint;
    readonly partitionIndex?: number;
    readonly status?: number;
    readonly attempts?: number;
    readonly messages?: readonly string[];
    readonly retryAfter?: number;
    readonly expected?: number;
    readonly received?: number;
    readonly findings?: InspectionFinding[];
    readonly table?: FindingsTable;
    readonly failures?: readonly PartitionFailure[];
    readonly resume?: Resume;
    readonly cause?: unknown;
}
/** A failure of a call, with its place and everything that is known about it. */
export declare class FindingsError extends Error {
    /** What failed. */
    readonly code: FindingsErrorCode;
    /** The kind of findings that was asked for. */
    readonly kind?: FindingKind;
    /** The inspection, as the caller gave it. */
    readonly inspectionKey?: number | bigint;
    /** The partition whose request failed. */
    readonly partitionIndex?: number;
    /** The HTTP status of the answer that failed. */
    readonly status?: number;
    /** Attempts made on the request that failed. */
    readonly attempts?: number;
    /**
     * What the service said about it (`errors` of the answer); empty where it said nothing. Of more than 16 KiB or 1000 messages
     * only the first are kept, and an ellipsis ends the last one.
     */
    readonly messages: readonly string[];
    /** What the service asked for in `Retry-After`, in milliseconds. */
    readonly retryAfter?: number;
    /** The total that the service gave, for `incomplete`. */
    readonly expected?: number;
    /** The number of findings received, for `incomplete`. */
    readonly received?: number;
    /**
     * Findings that came along all the same: of the partition for `service`, all of them for `incomplete`, those of all partitions
     * that could be had for `partial` of `getFindings`, unless there was no memory for their rows.
     */
    readonly findings?: InspectionFinding[];
    /**
     * The findings that could be had, for `partial` of `loadTable`, unless there was no memory for the table; the caller frees
     * it.
     */
    readonly table?: FindingsTable;
    /**
     * The partitions that are missing, in the order of their indexes, for `partial`. After a `totalTimeout`, or when memory ran out, at
     * most 65 536 of those that the call did not come to are among them, and fewer where there is no memory to name them.
     */
    readonly failures?: readonly PartitionFailure[];
    /**
     * Goes on, for `partial`: reads the counts again, fails with `incomplete` if they have changed, gets only what is missing, and
     * resolves with all findings, as the call would have done (an array, or a {@link FindingsTable} for `loadTable`). If it fails, it
     * can be called again; what was received meanwhile is kept.
     *
     * @param options win over those of the call, whose signal stays unless another one is given
     */
    readonly resume?: Resume;
    constructor(code: FindingsErrorCode, message: string, { cause, ...details }?: FindingsErrorDetails);
}

// exports.d.ts

export { FindingsClient, getFindings, getPartition, getPartitionCounts } from "./client.js";
export { FindingsError, type FindingsErrorCode, type PartitionFailure, type Resume } from "./error.js";
export type { Circumstances, FindingKind, FindingText, InspectionFinding, KindCounts, Options, PartitionChange, PartitionCounts, Progress, } from "./inspection_findings.js";
export { preload } from "./module.js";
export type { Partition, PartitionStream } from "./stream.js";
export { type Condition, type Count, FindingsTable, type Scalar, type Summary } from "./table.js";

// index.d.ts

export * from "./exports.js";

// inspection_findings.d.ts

/* tslint:disable */
/* eslint-disable */

/**
 * Options of a client, of a call, or of both: those of the call win, except as noted. All are optional.
 *
 * They are read once, when they are given, whether or not they are inherited. An unknown property of the object's own is a
 * `TypeError`; what a getter throws rejects the call.
 */
export interface Options {
    /**
     * Where the service is; may have a path, and a missing slash at its end is added. A relative one is seen from the
     * page. A `TypeError` for a query, a fragment, credentials in it, or another scheme than http and https.
     *
     * The `headers` of a client go wherever the `baseUrl` of a call leads, to another origin too: give such a call headers of
     * its own, or the client a function that looks at `url`.
     *
     * @default the page's own base URL; a `TypeError` where there is no page, as in Node
     */
    baseUrl?: string | URL;
    /**
     * Headers of every request, or a function that is asked for them before every attempt. After a 401 the function is
     * asked once more with that status, once for all requests under way to that origin, and each of them is repeated once.
     *
     * Fixed headers go with every request, whatever its origin. A function is told by `url` where its headers go, so that it
     * can give a token to the origin only that the token is for. What it gives after a 401 serves all requests under way to the
     * same origin, and never goes to another one.
     *
     * Any header beyond the ordinary ones, such as `authorization`, makes a browser ask a service of another origin for
     * permission (a CORS preflight) once per path.
     *
     * @default none
     */
    headers?: HeadersInit | ((circumstances: Circumstances) => HeadersInit | Promise<HeadersInit>);
    /**
     * Whether cookies go along, as in `fetch`.
     *
     * @default "same-origin"
     */
    credentials?: RequestCredentials;
    /**
     * Whether an answer may come from the browser's cache, as in `fetch`. A stale partition under fresh counts would be
     * silently wrong data.
     *
     * @default "no-store"
     */
    cache?: RequestCache;
    /**
     * A function to use instead of the global `fetch`; called with the address and an init object, `this` undefined.
     * What it gives is read by its shape: `status`, `headers`, and `body` or `arrayBuffer()`.
     *
     * @default the global one
     */
    fetch?: (href: string, init: RequestInit) => Promise<Response>;
    /**
     * Ends the call when it is aborted: the promise is rejected with `signal.reason`, and nothing goes on.
     *
     * @default none
     */
    signal?: AbortSignal | null;
    /**
     * Requests in flight at the same time, 1 to 1 000. The client's value caps all its calls together; a call's value can
     * only lower the share of that call.
     *
     * @default 6
     */
    concurrency?: number;
    /**
     * Milliseconds for one attempt, 1 to 2 147 483 647: the `headers` function, the response and its whole body.
     *
     * @default 30000
     */
    timeout?: number;
    /**
     * Milliseconds for the whole call, 1 to 2 147 483 647.
     *
     * @default none
     */
    totalTimeout?: number;
    /**
     * Retries per request after its first attempt, 0 to 1 000: after a broken connection, a timeout, and the statuses
     * 408, 429, 500, 502, 503 and 504. The wait before each is random, up to 300 ms at first and twice as much each time,
     * at most 20 s.
     *
     * @default 3
     */
    retries?: number;
    /**
     * The longest `Retry-After` that is waited for, in milliseconds, 0 to 2 147 483 647. A longer one, or one past
     * `totalTimeout`, fails at once.
     *
     * @default 60000
     */
    maxRetryAfter?: number;
    /**
     * What to do when the number of findings received is not the total that the service gave: fail, log a warning, or
     * nothing.
     *
     * @default "strict"
     */
    completeness?: "strict" | "warn" | "off";
    /**
     * The longest body that is taken, in bytes, 1 to 2 147 483 647; a longer one is refused while it is being read.
     *
     * @default 268435456 (256 MiB)
     */
    maxPartitionBytes?: number;
    /**
     * What to do when a partition cannot be had: reject at once, or get all the others first and reject with everything that was
     * got, what failed, and a way to go on (`findings` or `table`, `failures` and `resume` of the error). A stream takes only the
     * former.
     *
     * @default "fail-fast"
     */
    failurePolicy?: "fail-fast" | "collect";
    /**
     * The order of the partitions of a stream: that of their indexes, or as they come.
     *
     * @default "index"
     */
    order?: "index" | "completion";
    /**
     * Bytes of bodies and findings that nobody has read yet, 1 to 4 294 967 295. A partition is asked for when there is room for one
     * as large as the largest seen so far, or when its reader waits for it. The client's value caps all its calls together; a
     * call's value can only lower the share of that call.
     *
     * @default 67108864 (64 MiB)
     */
    maxBufferedBytes?: number;
    /**
     * Maps a counts answer of another form, once its `errors` are found to be null or absent. Must be synchronous; only
     * the kind that is asked for is needed.
     *
     * @default reads `SentimentPartitions`, `SentimentFindings`, `TopicPartitions` and `TopicFindings`
     */
    readCounts?: (answer: any) => {
        sentiment?: { partitions: number; findings?: number | null };
        topics?: { partitions: number; findings?: number | null };
    };
    /**
     * Is told how far a call for findings has come: once at 0, and once after each partition. What it throws, or what a
     * promise that it gives is rejected with, ends the call.
     *
     * @default none
     */
    onProgress?: (progress: Progress) => void;
    /**
     * Is told what becomes of each partition. What it throws, or what a promise that it gives is rejected with, ends the call.
     *
     * @default none
     */
    onPartition?: (change: PartitionChange) => void;
    /**
     * Whether each attempt and each partition becomes a `performance.measure`, which developer tools show on a track of its own. The
     * host keeps them until `performance.clearMeasures` is called.
     *
     * @default false
     */
    measure?: boolean;
}

/** What a `headers` function is told about the attempt that it gives headers for. */
export interface Circumstances {
    /** The number of the attempt, from 1. */
    attempt: number;
    /** The HTTP status of the attempt before; 401 when the headers have expired. */
    status: number | undefined;
    /**
     * Where the headers go: the address of the request. After a 401, that of one of the requests that wait for new headers, all of
     * which go to its origin.
     */
    url: string;
}

/** How far a call has come. */
export interface Progress {
    /** Partitions received. */
    partitionsDone: number;
    /** Partitions to receive. */
    partitions: number;
    /** Findings received. */
    findingsDone: number;
    /** Findings to receive; null where the service gave no total. */
    findings: number | null;
    /** Bytes of the partitions received, as they were decoded. */
    bytes: number;
    /** Retries made. */
    retries: number;
}

/** What became of a partition. */
export interface PartitionChange {
    /** Its index. */
    index: number;
    /**
     * What it is now: `"requested"` when its first attempt begins, `"retrying"` when an attempt has failed and another one will
     * follow, `"received"` when its findings are there, `"failed"` when it cannot be had.
     */
    state: "requested" | "retrying" | "received" | "failed";
    /** The attempt that was made, or will be made next, from 1. */
    attempt: number;
    /** Its number of findings once it has been received, 0 before. */
    findings: number;
    /** The bytes of its body once it has been received, 0 before. */
    bytes: number;
}

/** How much the service holds of both kinds. */
export interface PartitionCounts {
    /** Of the sentiment analysis (`SentimentPartitions`, `SentimentFindings`). */
    sentiment: KindCounts;
    /** Of the topic analysis (`TopicPartitions`, `TopicFindings`). */
    topics: KindCounts;
}

/** How much the service holds of one kind. */
export interface KindCounts {
    /** Number of partitions; their indexes are 0 to this − 1. */
    partitions: number;
    /** Number of findings over all partitions; null where the service gave no total. */
    findings: number | null;
}

/** The two kinds of findings that the service keeps apart. */
export type FindingKind = "sentiment" | "topics";

/**
 * A finding, as the public help pages of the Ascribe CX Inspector API describe it. It passes through with every field
 * that it came with, known here or not; nothing is checked against this type.
 */
export interface InspectionFinding {
    /** The variable that the comment belongs to (`VariableKey`). */
    VariableKey: number;
    /** The respondent, by a generated key, which is the one to compare by (`RespondentKey`). */
    RespondentKey: number;
    /** The respondent, as the source names it (`RespondentId`). */
    RespondentId: string;
    /** The verbatim (`StringKey`). */
    StringKey: number;
    /** The group of the topic; null where it is not mapped to one (`TopicGroup`). */
    TopicGroup: string | null;
    /** The group of the expression; null where it is not mapped to one (`ExpressionGroup`). */
    ExpressionGroup: string | null;
    /** True where `Topic` is a generic description such as `/PositiveSentiment/` (`NoTopic`). */
    NoTopic?: boolean;
    /** True where `Expression` is a generic description (`NoExpression`). */
    NoExpression?: boolean;
    /** The analysed text, repeated in every finding that it yielded (`Comment`). */
    Comment: string;
    /** What the finding is about (`Topic`). */
    Topic: FindingText;
    /** What is said about it (`Expression`). */
    Expression: FindingText;
    /** The part of the comment that the finding rests on (`Extract`). */
    Extract: FindingText;
    /** From −2, very negative, to 2, very positive; in sentiment findings only (`Sentiment`). */
    Sentiment?: -2 | -1 | 0 | 1 | 2;
    /** Whatever else the service sends. */
    [field: string]: unknown;
}

/** A text of a finding; its fields are documented nowhere public. */
export interface FindingText {
    [field: string]: unknown;
}

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export type SyncInitInput = BufferSource | WebAssembly.Module;

// module.d.ts

import type { InitInput } from "./inspection_findings.js";
/** What the module can be loaded from: its address, a response with it, its bytes, or the compiled module. */
export type ModuleSource = InitInput;
/** Sets where the module is loaded from by the first call that needs it. */
export declare function loadOnDemandFrom(source: () => ModuleSource | Promise<ModuleSource>): void;
/**
 * Loads the WebAssembly module before a call needs it, for example while the page is idle. Never required: the first call loads it too.
 * Resolves at once where it is loaded, and may be called again after a failure.
 *
 * @throws FindingsError with the code `load`
 * @example
 * requestIdleCallback(() => preload().catch(() => {}));
 */
export declare function preload(): Promise<void>;

// slim.d.ts

import { type ModuleSource } from "./module.js";
export * from "./exports.js";
export type { ModuleSource };
/**
 * Loads the WebAssembly module; must have resolved before the first call. May be called again after a failure.
 *
 * @param source its address, a response with it, its bytes, or the compiled module
 * @default the file beside this one
 */
export declare function init(source?: ModuleSource | Promise<ModuleSource>): Promise<void>;

// stream.d.ts

import type { InspectionFinding } from "./inspection_findings.js";
/** A partition of a stream. */
export interface Partition<Finding = InspectionFinding> {
    /** Its index. */
    index: number;
    /** Its findings, in their order. */
    findings: Finding[];
}
/**
 * The partitions of one kind, one after the other. Begins with the first `next()`, is read once, and gets at most `concurrency`
 * partitions and `maxBufferedBytes` ahead of its reader; who does not read on stops the fetching. Leaving a `for await` loop,
 * `return()`, and the caller's signal end everything that is under way.
 *
 * A failure comes in its place: what comes before the partition that failed has been delivered. At the end the number of findings is
 * compared with the total (see `completeness`).
 */
export interface PartitionStream<Finding = InspectionFinding> extends AsyncIterableIterator<Partition<Finding>, undefined> {
    /** The same stream for `pipeTo`, `pipeThrough` and `Response`s. It takes what the iterator has not taken. */
    toReadableStream(): ReadableStream<Partition<Finding>>;
}
/** Where the partitions come from, once the call has begun. */
export interface Source<Finding> {
    /** The next partition; undefined at the end. */
    next(): Promise<Partition<Finding> | undefined>;
    /** Ends the call. */
    free(): void;
}
/** The stream of a call that is opened by the first pull, unless the signal is aborted before. */
export declare class Partitions<Finding> implements PartitionStream<Finding> {
    #private;
    constructor(open: (life: AbortSignal) => Promise<Source<Finding>>);
    next(): Promise<IteratorResult<Partition<Finding>, undefined>>;
    return(): Promise<IteratorResult<Partition<Finding>, undefined>>;
    [Symbol.asyncIterator](): this;
    toReadableStream(): ReadableStream<Partition<Finding>>;
}

// table.d.ts

import type { InspectionFinding } from "./inspection_findings.js";
/** What has to hold for the values of a column. */
export type Condition = Scalar | readonly Scalar[] | {
    readonly min?: number;
    readonly max?: number;
} | {
    readonly contains: string;
};
/** A value that can be compared with; undefined stands for a missing field. */
export type Scalar = string | number | boolean | null | undefined;
/** How many findings have these values. */
export interface Count {
    /** A value for each column, in the order in which they were asked for. */
    key: unknown[];
    /** Number of findings. */
    count: number;
}
/** What the numbers of a group of findings are like. */
export interface Summary {
    /** A value for each column that was grouped by, in the order in which they were asked for. */
    key: unknown[];
    /** How many findings of the group have a number there; 0 where none has. Not the number of findings. */
    count: number;
    /** Their sum. */
    sum: number;
    /** The smallest; infinity where the group has no number. */
    min: number;
    /** The largest; minus infinity where the group has no number. */
    max: number;
    /** Their mean; not a number where the group has none. */
    mean: number;
}
/**
 * All findings of one kind in columns, outside the JavaScript heap. Comes from {@link FindingsClient.loadTable}.
 *
 * A column has the dotted path of its values as its name, such as `"Topic.Text"`; a dot inside a key is written `\.`.
 * A missing field is `undefined` and null is null, everywhere. A name under which no finding has a value is a `RangeError`
 * that says which name is the nearest, so that a misspelt one does not look like a column without values; where an
 * inspection may lack a column, look for it in {@link columns} first. A table without findings gives empty results for any name. Queries are synchronous. A table is freed by
 * {@link free}, `using`, or with the garbage; views of it (`filter`, `sortBy`) keep the columns alive until they are
 * freed themselves. After that every use is a `TypeError`. Where the module has stopped, for want of memory, every use
 * of what it held is a `FindingsError` of code `memory`.
 */
export declare class FindingsTable<Finding = InspectionFinding> implements Iterable<Finding> {
    #private;
    private constructor();
    /** Number of findings. */
    get length(): number;
    /** Bytes of the module's memory that it holds; a view counts what it shares as well. */
    get byteLength(): number;
    /** The dotted paths of the columns, in the order in which findings first have them. */
    get columns(): string[];
    /** The finding at an index; a negative one counts from the end, as for `Array.prototype.at`. Builds one row. */
    at(index: number): Finding | undefined;
    /** The findings from `start` up to before `end`, as `Array.prototype.slice`. Builds these rows at once. */
    slice(start?: number, end?: number): Finding[];
    /** All findings. Builds every row at once, in about a microsecond each. */
    toArray(): Finding[];
    /** The findings one after the other, built a few hundred at a time. */
    [Symbol.iterator](): Generator<Finding, undefined>;
    /**
     * A copy of the values of a column, in a typed array where every value is a small integer. Takes a few nanoseconds
     * for each finding, and the decoding of each distinct string once.
     *
     * @throws RangeError for a name that no finding has a value under; its message says which is the nearest
     */
    column(path: string): ArrayLike<unknown> & Iterable<unknown>;
    /**
     * How many findings have each combination of values in these columns, most frequent first, then the first seen.
     * Takes a few nanoseconds for each finding and column. An object whose fields have columns of their own counts as
     * `{}`.
     *
     * @throws RangeError for a name that no finding has a value under
     */
    countBy(...paths: string[]): Count[];
    /**
     * The numbers in the column `value` for each combination of values in the other columns, in the order of
     * {@link countBy}; `count` is how many findings of the group have a number there. Takes a few nanoseconds for each
     * finding and column.
     *
     * @throws RangeError for a name that no finding has a value under
     */
    summarize(groupBy: string[], value: string): Summary[];
    /**
     * A view of the findings for which all conditions hold, in the order in which they are here: a value, one of several
     * values, a number from `min` to `max` inclusive, or a text that contains another, upper and lower case being the
     * same. Takes a few nanoseconds for each finding and condition, and `contains` a look into each distinct text.
     *
     * @throws RangeError for a name that no finding has a value under; TypeError for what is no condition
     */
    filter(where: Record<string, Condition>): FindingsTable<Finding>;
    /**
     * A view of the findings ordered by a column; those with the same value stay in the order in which they are here.
     * Numbers come first, then strings by their code units, booleans, arrays and objects; null and missing come last in
     * both directions. Sorts the distinct values, and takes a few nanoseconds for each finding.
     *
     * @throws RangeError for a name that no finding has a value under
     */
    sortBy(path: string, direction?: "asc" | "desc"): FindingsTable<Finding>;
    /** Gives the columns back to the module's memory, unless a view still holds them. May be called again. */
    free(): void;
    /** The same as {@link free}, for `using`. */
    [Symbol.dispose](): void;
}
