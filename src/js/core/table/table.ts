// The table: findings in columns outside the JavaScript heap. Each method is a query of its own file, and rows are built on request.

import { itemsOf } from "../argument/passed-object.js";
import { noTable, refusal } from "../argument/refusal.js";
import type { Columns } from "../engine/engine.js";
import { callStackOf, stacked } from "../error/call-stack.js";
import { orUndefined } from "../host/member.js";
import { tagInstances } from "../host/tag.js";
import { bytesOf, opened } from "./bytes.js";
import type {
  AskedName,
  AskedNames,
  ColumnValue,
  CompletedNames,
  FindingOf,
  GroupKey,
  JoinedFinding,
  Selected,
} from "./column-name.js";
import { DISPOSE } from "./dispose.js";
import type { InspectionFinding } from "./finding.js";
import { INSPECT, type Inspect, readable } from "./inspect.js";
import type { Jsonified } from "./jsonified.js";
import { made } from "./made-table.js";
import { isComplete, type Origin, ofConcat, ofExtension, ofView, readOrigin } from "./origin.js";
import {
  type AddedColumn,
  type AddedKey,
  type AddedValue,
  type DocumentedWithout,
  joinedWithSource,
  type NewName,
  type SourceColumn,
  sourceColumnOf,
  type WithField,
  withColumn,
} from "./queries/added-column.js";
import type { Aggregates, NumericName, Summarizable } from "./queries/aggregates.js";
import { columnOf } from "./queries/column.js";
import { joinedColumns } from "./queries/concat.js";
import type { Condition, ConditionsOf, KnownConditions, ObjectConditions } from "./queries/condition.js";
import { conditionsOf } from "./queries/conditions.js";
import { type Count, countsOf, type DistinctCount, type DistinctOption } from "./queries/count-by.js";
import { filtered } from "./queries/filter.js";
import { eachFinding, findingAt, findingsBetween } from "./queries/findings.js";
import { numbersOf } from "./queries/numbers.js";
import { selected } from "./queries/select.js";
import { type Direction, type Directions, sorted } from "./queries/sort-by.js";
import { type Aggregated, type Summary, summariesOf } from "./queries/summarize.js";
import type { SharedResults } from "./shared-results.js";
import { TableData } from "./table-data.js";
import { SOURCE, type TableSource } from "./table-source.js";

/**
 * The key of the method that lets a table share its results with the other tables of a live table.
 *
 * @internal
 */
export const SHARE_RESULTS: unique symbol = Symbol.for("inspection-findings.shareResults") as never;

/**
 * Findings in columns outside the JavaScript heap, returned by {@link FindingsClient.loadTable}. Queries are
 * synchronous.
 *
 * The name of a column is the dotted path of its values, such as `"Topic.Text"`; a dot inside a key is written `\.`. A
 * missing field is `undefined`, and null is null. A documented field that no finding has, such as `"NoTopic"`, is missing.
 * Any other unknown name, one that the option `columns` leaves out, or `"Sentiment"` among topic findings throws a
 * `RangeError` that suggests the most similar column and lists all; only {@link select} takes the fields of both kinds. A
 * table of {@link FindingsTable.from} has the columns of its objects. If an inspection may lack a column, look for it in
 * {@link columns} first. A table without findings returns empty results for any name.
 *
 * {@link filter} and {@link sortBy} return views that share the columns. {@link free}, `using` or garbage collection
 * frees a table. Its views keep the columns until they are freed, too. Every use of a freed table throws a `TypeError`.
 * If WebAssembly has stopped, every use throws a {@link FindingsError} of code `memory`. You can
 * always read {@link freed} and log the table.
 *
 * @example
 * using table = await client.loadTable(42, "sentiment");
 * using complaints = table.filter({ Sentiment: { max: -1 } });
 * for (const { key, count } of complaints.countBy("TopicGroup")) console.log(key[0], count);
 */
export class FindingsTable<Finding = InspectionFinding> implements Iterable<Finding> {
  readonly #data: TableData;

  private constructor(data: TableData) {
    // In JavaScript anybody can call it.
    if (!(data instanceof TableData)) {
      throw refusal(
        "use client.loadTable() or FindingsTable.fromBytes() to get a FindingsTable; it has no public constructor",
      );
    }
    this.#data = data;
  }

  /**
   * Whether {@link free} has been called: every other use then throws a `TypeError`.
   *
   * @example
   * const rows = table.freed ? [] : table.slice(0, 20);
   */
  get freed(): boolean {
    return this.#data.isFreed;
  }

  /**
   * The number of findings.
   *
   * @example
   * console.log(`${table.length} findings in ${table.byteLength} bytes`);
   */
  get length(): number {
    return this.#data.columns.length();
  }

  /** The size in WebAssembly memory, in bytes. The size of a view includes the shared columns. */
  get byteLength(): number {
    return this.#data.columns.byteLength();
  }

  /**
   * The names of the columns, in the order of their first occurrence.
   *
   * @example
   * const topics = table.columns.includes("Topic.Text") ? table.countBy("Topic.Text") : [];
   */
  get columns(): string[] {
    return this.#data.columns.names();
  }

  /**
   * Whether queries miss fields: true if a finding repeats a key in one object, has a key with a lone surrogate, or
   * exceeds a limit: 1 024 fields; in its partition 4 095 paths, each of 4 096 bytes, and 65 536 beginnings of orders of
   * fields. An order of 30 fields has 30 beginnings, so a few thousand orders can reach this limit, and then each later finding
   * of the partition in another order exceeds it. {@link at}, {@link slice}, {@link toArray} and iteration return such a
   * finding with all its fields, but it has no columns: queries treat its fields as missing. A view has the same value as its
   * table; {@link findingsWithoutColumns} is the number of these findings.
   *
   * @example
   * if (table.columnsTruncated) console.warn("Some findings are missing in the charts");
   */
  get columnsTruncated(): boolean {
    return this.#data.columns.columnsTruncated();
  }

  /**
   * The number of findings whose fields have no columns, for the reasons of {@link columnsTruncated}. A view counts its own findings, a
   * snapshot of a live table those that have arrived. Looks at each finding if there is one.
   *
   * @example
   * console.log(`${table.findingsWithoutColumns} of ${table.length} findings are missing in the charts`);
   */
  get findingsWithoutColumns(): number {
    return this.#data.columns.findingsWithoutColumns();
  }

  /**
   * Whether the table has an integer beyond ±9 007 199 254 740 991, `Number.MAX_SAFE_INTEGER`, such as a key of 64 bits.
   * Like `JSON.parse`, the table rounds it to a number, so different integers can become one: rows, queries and Arrow
   * streams cannot tell them apart. A view has the same value as its table.
   *
   * @example
   * if (table.integersRounded) console.warn("Do not count or join by large keys");
   */
  get integersRounded(): boolean {
    return this.#data.columns.integersRounded();
  }

  /**
   * The indexes of the partitions whose findings the table has, in ascending order. Empty for a view, for joined tables, and for a
   * table of your own findings.
   *
   * @example
   * const isMissing = !table.partitions.includes(7);
   */
  get partitions(): number[] {
    const { columns, origin } = this.#data;
    return origin.of === "call" || origin.of === "partition" ? columns.partitions() : [];
  }

  /**
   * Whether the table has all findings of its kind: true for a table that {@link FindingsClient.loadTable} has resolved
   * with, false for the table of a single partition, of a call that lacks partitions or whose option `completeness`
   * has accepted another total, and for a view.
   *
   * @example
   * if (!table.isComplete) console.log(`${table.partitions.length} partitions so far`);
   */
  get isComplete(): boolean {
    return isComplete(this.#data.origin, this.length);
  }

  /**
   * When {@link toBytes} was called, for a table of {@link FindingsTable.fromBytes}; otherwise undefined.
   *
   * @example
   * console.log(`As of ${table.savedAt?.toLocaleString() ?? "now"}`);
   */
  get savedAt(): Date | undefined {
    const { savedAt } = this[SOURCE]().origin;
    return savedAt === undefined ? undefined : new Date(savedAt);
  }

  /**
   * Opens a table that {@link toBytes} has written. Loads the `.wasm` file first if necessary, and works in time
   * slices. Do not change the bytes until the promise settles.
   *
   * @returns the table, with the same findings and the same results of every query. Rejects with a
   * {@link FindingsError} of code `bytes`, whose `reason` says what is wrong with the bytes, or of code `load` or
   * `memory`. Rejects with a `TypeError` if the argument is neither a typed array nor an `ArrayBuffer`.
   * @example
   * using again = await FindingsTable.fromBytes(table.toBytes());
   */
  static fromBytes<Finding = InspectionFinding>(
    bytes: ArrayBufferView | ArrayBufferLike,
  ): Promise<FindingsTable<Finding>> {
    return stacked(opened(bytes), callStackOf(FindingsTable.fromBytes));
  }

  /**
   * Makes a table of findings that you already have, for tests, for example, or of a saved response. It has what `JSON.stringify`
   * writes for each: a `Date` becomes a text, and a function is missing. Loads the `.wasm` file first if necessary; then it works in one go, and takes a few microseconds per finding.
   * The table is complete, but of no inspection, so no call can continue from it.
   *
   * @returns the table, with the findings in the same order. Rejects with a `TypeError` if one of them is no object, with a
   * `RangeError` if one has more than 128 levels, and with a {@link FindingsError} of code `load` or `memory`.
   * @example
   * using table = await FindingsTable.from([{ Comment: "Too slow", Sentiment: -2 }, { Comment: "Nice", Sentiment: 1 }]);
   * console.log(table.countBy("Sentiment"));
   */
  static from<Finding extends object>(findings: Iterable<Finding>): Promise<FindingsTable<Jsonified<Finding>>> {
    return stacked(made(findings).then(tableOfData<Jsonified<Finding>>), callStackOf(FindingsTable.from));
  }

  /**
   * Joins tables to one, with the findings of all in the order of the list: those of a stream, of several inspections, or of both
   * kinds. A column that only some tables have is missing in the others. A table of {@link from} adds its own columns, and no documented
   * field. Shares the columns of whole tables and copies the rows of views, so you can free the tables. Takes microseconds for each
   * partition, and for each row of a view.
   *
   * No call can begin with the joined table: it has no {@link partitions} and is not {@link isComplete}.
   *
   * A {@link SourceColumn} says which table a finding comes from, such as the wave of a survey: the findings have it as their last field, as that of
   * {@link with}. It copies all tables. The keys of two inspections, such as `RespondentKey`, may be the same for different people. To
   * count people, name both: `{ distinct: ["Wave", "RespondentKey"] }`.
   *
   * @param source the column that says which table a finding comes from
   * @returns the table; an empty one without tables
   * @throws TypeError if one of them is no table or has been freed, if the column does not have a value for each table, or if a finding has a
   * field with its name already
   * @throws RangeError if they have more than 4 294 967 295 findings together, or more than 268 435 456 different texts or numbers
   * @example
   * const tables = await Promise.all([42, 43].map((key) => client.loadTable(key, "topics")));
   * using both = FindingsTable.concat(tables, { name: "Wave", values: ["spring", "autumn"] });
   * console.log(both.countBy("Wave", { distinct: ["Wave", "RespondentKey"] }));
   */
  static concat<const Tables extends Iterable<FindingsTable<unknown>>>(
    tables: Tables,
  ): FindingsTable<JoinedFinding<FindingOf<FindingOf<Tables>>>>;
  static concat<
    const Tables extends Iterable<FindingsTable<unknown>>,
    const Name extends string,
    Value extends AddedValue,
  >(
    tables: Tables,
    source: SourceColumn<Name, Value>,
  ): FindingsTable<WithField<JoinedFinding<FindingOf<FindingOf<Tables>>>, Name, Value>>;
  static concat(tables: Iterable<unknown>, source?: SourceColumn): FindingsTable<unknown> {
    // Reading the arguments may run code of the caller, which may free tables: so all is read before any table is used.
    const list = itemsOf(tables, "tables", "a list of tables");
    const column = source === undefined ? undefined : sourceColumnOf(source, list.length);
    const all = list.map((table) => FindingsTable.#sourceOf(table));
    const columns = all.map(({ columns }) => columns);
    const both = column === undefined ? joinedColumns(columns) : joinedWithSource(columns, column);
    return tableOf(both, ofConcat(all.map(({ origin }) => origin)));
  }

  /**
   * Builds the finding at an index; a negative index counts from the end, as for `Array.prototype.at`.
   *
   * @returns undefined if the index is out of range
   * @example
   * const last = table.at(-1);
   */
  at(index: number): Finding | undefined {
    return findingAt(this.#data, index) as Finding | undefined;
  }

  /**
   * Builds the findings from `start` to before `end`; the indexes work as in `Array.prototype.slice`.
   *
   * @example
   * const firstPage = table.slice(0, 20);
   */
  slice(start?: number, end?: number): Finding[] {
    return findingsBetween(this.#data, start, end) as Finding[];
  }

  /**
   * Builds all findings, in about a microsecond each.
   *
   * @example
   * const findings = table.toArray();
   */
  toArray(): Finding[] {
    return findingsBetween(this.#data) as Finding[];
  }

  /**
   * Iterates over the findings, and builds a few hundred at a time.
   *
   * @example
   * for (const finding of table) console.log(finding.Comment);
   */
  [Symbol.iterator](): Generator<Finding, undefined> {
    return eachFinding(this.#data) as Generator<Finding, undefined>;
  }

  /**
   * Copies the values of a column into a list. Takes a few nanoseconds per finding, and decodes each distinct string
   * once. {@link numbers} takes less memory.
   *
   * @throws RangeError if no finding has a value under this name
   * @example
   * const groups = table.column("TopicGroup").map((group) => group ?? "no group");
   */
  column<Self, const Name extends string>(
    this: Self,
    path: AskedName<FindingOf<Self>, Name>,
  ): ColumnValue<FindingOf<Self>, Name>[];
  column(path: string): unknown[] {
    return columnOf(this.#data, path);
  }

  /**
   * Copies the numbers of a column into a typed array. Takes a few nanoseconds per finding.
   *
   * @returns undefined if a value is no number, such as null or a missing field
   * @throws RangeError if no finding has a value under this name
   * @example
   * const sentiments = table.numbers("Sentiment");
   * console.log(sentiments?.reduce((sum, value) => sum + value, 0));
   */
  numbers<Self, const Name extends string>(
    this: Self,
    path: NumericName<FindingOf<Self>, Name>,
  ): Float64Array<ArrayBuffer> | undefined;
  numbers(path: string): Float64Array | undefined {
    return numbersOf(this.#data, path);
  }

  /**
   * Counts the findings for each combination of values in these columns. The most frequent combination comes first;
   * equal counts are in the order of first occurrence. Arrays are equal if their JSON is, whatever
   * white space and escapes it has. An object whose fields have separate columns counts as `{}`. Takes a few nanoseconds per finding and column.
   *
   * Pass the names as arguments or as one list: `countBy("TopicGroup", "Sentiment")` equals `countBy(["TopicGroup",
   * "Sentiment"])`.
   *
   * A last argument `{ distinct }` names another column, such as that of the respondents: each group then also has
   * `distinct`, the number of different values of its findings in that column, without missing and null. A respondent may
   * be in several groups, so the total is not their sum: `countBy([], { distinct: "RespondentKey" })` returns one group of
   * all findings. Equal values are equal as those of groups are. With a list of names, the different combinations of
   * their values are counted, without those in which one is missing or null.
   *
   * The groups of a table of a {@link LiveTable} are frozen, because its tables share unchanged groups.
   *
   * @throws RangeError if no finding has a value under one of these names
   * @example
   * for (const { key: [topic, sentiment], count } of table.countBy("Topic.Text", "Sentiment")) {
   *   console.log(topic, sentiment, count);
   * }
   * const [all] = table.countBy([], { distinct: "RespondentKey" });
   * for (const { key: [group], distinct } of table.countBy("TopicGroup", { distinct: "RespondentKey" })) {
   *   console.log(group, `${((100 * distinct) / (all?.distinct ?? 1)).toFixed()} % of the respondents`);
   * }
   */
  countBy<Self, const Names extends readonly string[]>(
    this: Self,
    ...names: (Names & AskedNames<FindingOf<Self>, Names>) | CompletedNames<FindingOf<Self>>
  ): Count<GroupKey<FindingOf<Self>, Names>>[];
  countBy<Self, const Names extends readonly string[]>(
    this: Self,
    names: (Names & AskedNames<FindingOf<Self>, Names>) | CompletedNames<FindingOf<Self>>,
  ): Count<GroupKey<FindingOf<Self>, Names>>[];
  countBy<Self, const Names extends readonly string[], const Distinct extends string>(
    this: Self,
    ...names: readonly [...AskedNames<FindingOf<Self>, Names>, DistinctOption<AskedName<FindingOf<Self>, Distinct>>]
  ): DistinctCount<GroupKey<FindingOf<Self>, Names>>[];
  countBy<Self, const Names extends readonly string[], const Distinct extends string>(
    this: Self,
    names: (Names & AskedNames<FindingOf<Self>, Names>) | CompletedNames<FindingOf<Self>>,
    options: DistinctOption<AskedName<FindingOf<Self>, Distinct>>,
  ): DistinctCount<GroupKey<FindingOf<Self>, Names>>[];
  countBy(...given: readonly unknown[]): Count[] {
    return countsOf(this.#data, given);
  }

  /**
   * Summarizes the numbers of the column `value` by the values of the columns `groupBy`, in the order of
   * {@link countBy}. Takes a few nanoseconds per finding and column. For a table of a {@link LiveTable}, the results
   * are frozen.
   *
   * Each result has the `key` and `count` of {@link countBy}, and `numbers`, `sum`, `min`, `max` and `mean` of the numbers. A column
   * of texts has none: its `numbers` are 0, and TypeScript refuses it. For statistics of several columns, or `distinct`, pass an object of {@link Aggregates}: each result then has what the
   * object names. It takes one pass for each column, and its results are new objects.
   *
   * @param groupBy the name of a column, or a list of names
   * @throws RangeError if no finding has a value under one of these names
   * @example
   * const [mostFrequent] = table.summarize("TopicGroup", "Sentiment");
   * console.log(mostFrequent?.key[0], mostFrequent?.mean);
   * const aggregates = { mean: "Sentiment", worst: { min: "Sentiment" }, people: { distinct: "RespondentKey" } } as const;
   * for (const { key, count, mean, worst, people } of table.summarize("TopicGroup", aggregates)) {
   *   console.log(key[0], `${count} findings of ${people} respondents`, mean, worst);
   * }
   */
  summarize<Self, const By extends string, const Name extends string>(
    this: Self,
    groupBy: AskedName<FindingOf<Self>, By>,
    value: NumericName<FindingOf<Self>, Name>,
  ): Summary<GroupKey<FindingOf<Self>, readonly [By]>>[];
  summarize<Self, const Names extends readonly string[], const Name extends string>(
    this: Self,
    groupBy: (Names & AskedNames<FindingOf<Self>, Names>) | CompletedNames<FindingOf<Self>>,
    value: NumericName<FindingOf<Self>, Name>,
  ): Summary<GroupKey<FindingOf<Self>, Names>>[];
  summarize<Self, const By extends string, const Values extends Aggregates>(
    this: Self,
    groupBy: AskedName<FindingOf<Self>, By>,
    value: Values & Summarizable<FindingOf<Self>, Values>,
  ): Aggregated<GroupKey<FindingOf<Self>, readonly [By]>, Values>[];
  summarize<Self, const Names extends readonly string[], const Values extends Aggregates>(
    this: Self,
    groupBy: (Names & AskedNames<FindingOf<Self>, Names>) | CompletedNames<FindingOf<Self>>,
    value: Values & Summarizable<FindingOf<Self>, Values>,
  ): Aggregated<GroupKey<FindingOf<Self>, Names>, Values>[];
  summarize(groupBy: string | readonly string[], value: string | Aggregates): Count[] {
    return summariesOf(this.#data, groupBy, value);
  }

  /**
   * Returns a view of the findings that meet all conditions, in the same order. With a list of alternatives, a finding
   * has to meet all conditions of at least one. Takes a few nanoseconds per finding and condition; `contains` also
   * searches each distinct string once.
   *
   * @param where a {@link Condition} for each column name, or a list of such objects
   * @throws RangeError if no finding has a value under one of these names
   * @throws TypeError if a condition is invalid, or compares with a type that no value of the column has, while it has
   * values of others: `">1"` in a column of numbers. The latter only once all partitions have arrived
   * @example
   * using refunds = table.filter({ Sentiment: { max: -1 }, Comment: { contains: "refund" } });
   * using urgent = table.filter([{ Sentiment: -2 }, { TopicGroup: { not: ["Other", null] }, Sentiment: -1 }]);
   */
  filter<Self>(
    this: Self,
    where: ConditionsOf<FindingOf<Self>> | readonly ConditionsOf<FindingOf<Self>>[],
  ): FindingsTable<FindingOf<Self>>;
  filter<Self>(
    this: Self,
    where: ObjectConditions<FindingOf<Self>> | readonly ObjectConditions<FindingOf<Self>>[],
  ): FindingsTable<FindingOf<Self>>;
  filter(
    // Topic findings have no field in common with the picked one.
    this: FindingsTable<InspectionFinding> & { toArray(): readonly Pick<InspectionFinding, "Sentiment">[] },
    where: KnownConditions<InspectionFinding> | readonly KnownConditions<InspectionFinding>[],
  ): FindingsTable<Finding>;
  filter(...where: readonly unknown[]): FindingsTable<Finding> {
    return this.#viewOf(filtered(this.#data, where));
  }

  /**
   * Returns a view of the findings, sorted by a column, or by several, the most important one first; findings with
   * equal values keep their order. Numbers come first, then strings by code units, booleans, objects and arrays; null
   * and missing values come last in both directions. Sorts the distinct values of each column, and takes a few
   * nanoseconds per finding.
   *
   * @param direction for all columns, or a list with the direction of each column
   * @default direction "asc"
   * @throws RangeError if no finding has a value under this name
   * @throws TypeError if a direction is unknown, or if the list of directions is shorter or longer than the list of names
   * @example
   * using worstFirst = table.sortBy("Sentiment");
   * const worst = worstFirst.slice(0, 10);
   * using byGroup = table.sortBy(["TopicGroup", "Sentiment"], ["asc", "desc"]);
   */
  sortBy<Self, const Names extends string | readonly string[]>(
    this: Self,
    names:
      | AskedName<FindingOf<Self>, Names & string>
      | (Names & readonly string[] & AskedNames<FindingOf<Self>, Names>)
      | CompletedNames<FindingOf<Self>>,
    direction?: Direction | Directions<Names> | undefined,
  ): FindingsTable<Finding>;
  sortBy(names: unknown, direction?: unknown): FindingsTable<Finding> {
    return this.#viewOf(sorted(this.#data, names, direction));
  }

  /**
   * Copies some columns into a separate table. Its findings have only these fields, as with the option `columns`. The
   * name of an object stands for all fields below it. The copy needs no memory of this table, so you can free this
   * table. Takes tens of nanoseconds per finding and column, and copies each string once.
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
  select<Self, const Names extends readonly string[]>(
    this: Self,
    ...names: (Names & AskedNames<FindingOf<Self>, Names>) | CompletedNames<FindingOf<Self>>
  ): FindingsTable<Selected<FindingOf<Self>, Names>>;
  select<Self, const Names extends readonly string[]>(
    this: Self,
    names: (Names & AskedNames<FindingOf<Self>, Names>) | CompletedNames<FindingOf<Self>>,
  ): FindingsTable<Selected<FindingOf<Self>, Names>>;
  select(...names: readonly string[] | readonly [readonly string[]]): FindingsTable<object> {
    return tableOf(selected(this.#data, names), this.#data.origin);
  }

  /**
   * Copies the table, with one more column, such as the segment of each respondent: its values by those of the column `by`.
   * The findings have it as their last field. It is missing where there is no value, and in findings that are in no column
   * ({@link columnsTruncated}). Keys are equal as the values of {@link countBy} are: `1` and `"1"` differ, and large integers are
   * rounded ({@link integersRounded}).
   *
   * The copy needs no memory of this table, so you can free this table. Takes a few microseconds per
   * finding and per key: time and memory grow in proportion to the findings and the keys.
   *
   * The copy of a view has its rows. A table of a {@link LiveTable} gets the column each time: call `with` on each snapshot that
   * you show. The copy has no {@link partitions}, because the service's partitions lack the column.
   *
   * @param name the key of the new field, as it is. A dot in it is no level: the key `a.b` has the column `a\.b`
   * @throws TypeError if a finding has a field with this key, if a key occurs twice, if the lists differ in length, if a
   * value is not a string, a finite number, a boolean, null or undefined, or if all keys are strings and the column has only numbers,
   * or the other way round
   * @throws RangeError if no finding has a value under the name `by`, or if a finding has 1 024 fields already
   * @example
   * const segments = new Map([["r1", "new"], ["r2", "loyal"]]);
   * using bySegment = table.with("Segment", { by: "RespondentId", values: segments });
   * console.log(bySegment.countBy("Segment", "Sentiment"));
   */
  with<
    Self extends FindingsTable<DocumentedWithout<Name | By>>,
    const Name extends string,
    const By extends string,
    Value extends AddedValue,
  >(
    this: Self,
    name: NewName<Name, InspectionFinding>,
    column: AddedColumn<AskedName<FindingOf<Self>, By>, Value, AddedKey<InspectionFinding, By>>,
  ): FindingsTable<WithField<FindingOf<Self>, Name, Value>>;
  with<Self, const Name extends string, const By extends string, Value extends AddedValue>(
    this: Self,
    name: NewName<Name, FindingOf<Self>>,
    column: AddedColumn<AskedName<FindingOf<Self>, By>, Value, AddedKey<FindingOf<Self>, By>>,
  ): FindingsTable<WithField<FindingOf<Self>, Name, Value>>;
  with(name: string, column: AddedColumn): FindingsTable<object> {
    return tableOf(withColumn(this.#data, name, column), ofExtension(this.#data.origin));
  }

  /**
   * Summarizes the table for `JSON.stringify`, without findings, because a log should not contain what respondents
   * wrote. Use {@link toArray} for the findings. In Node, `console.log` also shows the names of the columns.
   *
   * @example
   * console.log(JSON.stringify(table)); // {"freed":false,"length":4711,"byteLength":845210}
   */
  toJSON(): { freed: boolean; length?: number; byteLength?: number } {
    return { freed: this.freed, ...readable(() => ({ length: this.length, byteLength: this.byteLength })) };
  }

  /**
   * Writes the table as bytes that you can store and open with {@link FindingsTable.fromBytes}: its findings, its kind,
   * its inspection, the counts and its {@link partitions}. A view writes only its rows. The bytes contain what
   * respondents wrote. They are for this version of the package: another version may reject them. Takes a few hundred
   * nanoseconds per finding.
   *
   * @throws TypeError if it is a snapshot of a {@link LiveTable} in which no partition has arrived
   * @example
   * const bytes = table.toBytes();
   * console.log(`${table.length} findings in ${bytes.length} bytes`);
   */
  toBytes(): Uint8Array<ArrayBuffer> {
    return bytesOf(this.#data);
  }

  /**
   * Frees the table, and its columns unless a view shares them. Calling it again has no effect.
   *
   * @example
   * const table = await client.loadTable(42, "topics");
   * console.log(table.countBy("TopicGroup"));
   * table.free();
   */
  free(): void {
    this.#data.free();
  }

  /**
   * Frees the table, as {@link free} does, at the end of a block with `using`.
   *
   * @example
   * using table = await client.loadTable(42, "topics");
   */
  [DISPOSE](): void {
    this.free();
  }

  /** @internal */
  [SOURCE](): TableSource {
    return sourceOf(this.#data);
  }

  /** @internal */
  [SHARE_RESULTS](results: SharedResults): void {
    this.#data.results = results;
  }

  /** @internal */
  [INSPECT](_depth: number, options: object, inspect: Inspect): string {
    return `FindingsTable ${inspect({ ...this.toJSON(), ...readable(() => ({ columns: this.columns })) }, options)}`;
  }

  /** Returns the source of a table. Runs no code of the caller, as `instanceof` and the members of a proxy may. */
  static #sourceOf(table: unknown): TableSource {
    const data = orUndefined(() => (table as FindingsTable<unknown>).#data);
    if (data === undefined) throw noTable("each table", table);
    return sourceOf(data);
  }

  /** Creates a view, which is never complete: it has no partitions. */
  #viewOf(columns: Columns): FindingsTable<Finding> {
    return tableOf(columns, ofView(this.#data.origin), this.#data.results);
  }
}

tagInstances(FindingsTable.prototype, "FindingsTable");

/**
 * Creates a table of these columns.
 *
 * @param results shared by the tables of a live table
 * @internal
 */
export function tableOf<Finding>(columns: Columns, origin: Origin, results?: SharedResults): FindingsTable<Finding> {
  return tableOfData(new TableData(columns, origin, results));
}

/**
 * Creates a table that was opened from bytes. Throws if the text is malformed: bytes can be forged.
 *
 * @param about what {@link FindingsTable.toBytes} has written about it
 * @internal
 */
export function tableAbout(columns: Columns, about: string): FindingsTable<never> {
  return tableOf(columns, readOrigin(about));
}

function tableOfData<Finding>(data: TableData): FindingsTable<Finding> {
  // Private in TypeScript only. A static block could call it, but Metro, the bundler of React Native, cannot parse one.
  return Reflect.construct(FindingsTable, [data]);
}

/** What other files read of a table. */
function sourceOf(data: TableData): TableSource {
  const { columns, origin } = data;
  return { columns, origin, column: (name) => columnOf(data, name), conditions: conditionsOf };
}
