/** Tables, whose columns are named and typed by the type of their findings. It is only compiled. */

import type {
  Aggregates,
  ColumnName,
  ColumnValue,
  Condition,
  Count,
  DistinctCount,
  InspectionFinding,
  Jsonified,
  NumberColumnName,
  Scalar,
  Summary,
} from "inspection-findings";
import { FindingsTable } from "inspection-findings";
import { hasType, type OurFinding, type Sentiment } from "./same.js";

/** A name is that of a field, or the path of one inside an object. A field that holds only objects has no column. */
export function columns(table: FindingsTable, ours: FindingsTable<OurFinding>): void {
  hasType<string[]>()(ours.column("Language"), true);
  hasType<(number | undefined)[]>()(ours.column("Source.Page.Number"), true);
  hasType<string[] | undefined>()(ours.column("Source.Tags")[0], true);
  hasType<boolean | undefined>()(ours.column("a\\.b")[0], true);
  hasType<string | undefined>()(ours.column("Source.Place.City")[0], true);
  hasType<object | undefined>()(ours.column("Source.Any")[0], true);
  hasType<{ Number: number } | null | undefined>()(ours.column("Source.Page")[0], true);
  hasType<unknown[]>()(ours.column("Source"), true);
  hasType<unknown[]>()(table.column("Topic"), true);
  // The texts of a finding are documented, their other fields are not.
  hasType<string | undefined>()(table.column("Topic.Text")[0], true);
  hasType<unknown>()(table.column("Topic.Language")[0], true);
  hasType<(Sentiment | undefined)[]>()(table.column("Sentiment"), true);
  hasType<Float64Array<ArrayBuffer> | undefined>()(table.numbers("Sentiment"), true);
  // @ts-expect-error no text is a number
  table.numbers("Comment");
  // @ts-expect-error the field is called Comment
  table.at(0)?.Coment;
}

/** The key of a group has the types of its columns. Groups do not change. */
export function groups(table: FindingsTable, ours: FindingsTable<OurFinding>): void {
  const [first] = ours.countBy("Language", "Source.Page.Number", "Topic.Text");
  hasType<readonly [string, number | undefined, string | undefined] | undefined>()(first?.key, true);
  const [listed] = ours.countBy(["Language", "TopicGroup"]);
  hasType<readonly [string, string | null] | undefined>()(listed?.key, true);
  hasType<readonly [] | undefined>()(ours.countBy()[0]?.key, true);
  const [summary] = ours.summarize(["Language", "TopicGroup"], "Sentiment");
  hasType<readonly [string, string | null] | undefined>()(summary?.key, true);
  const [group] = table.countBy("TopicGroup");
  // @ts-expect-error
  if (group) group.count = 1;
  // @ts-expect-error
  if (group) group.key[0] = "x";
  // @ts-expect-error a list of names is the only argument
  table.countBy(["Comment"], "TopicGroup");
}

/** In each method, a name that the type does not know may be any column: only a query knows the columns of the service. */
export function unknownNames(table: FindingsTable, other: FindingsTable<object>, name: string): void {
  hasType<unknown>()(table.column(name)[0], true);
  hasType<unknown>()(table.column("Coment")[0], true);
  hasType<readonly [string | null, unknown] | undefined>()(table.countBy("TopicGroup", "Language")[0]?.key, true);
  hasType<readonly [unknown] | undefined>()(other.countBy("Anything")[0]?.key, true);
  const where: Record<string, Condition> = { [name]: 1 };
  const found = table
    .filter(where)
    .filter([{ [name]: ["y"] }])
    .filter({ Coment: { contains: "late" }, Sentiment: 1 });
  const counts: Count[] = found.sortBy(["Comment", name]).countBy(name);
  const means: Summary[] = table.summarize(table.columns, "Weight");
  const names: [ColumnName<unknown>, NumberColumnName<OurFinding>[]] = ["Any", ["Sentiment", "Source.Page.Number"]];
  const [misspelt] = found.summarize("Coment", "Sentimnt");
  hasType<readonly [unknown] | undefined>()(misspelt?.key, true);
  found
    .sortBy("Coment")
    .with("Segment", { by: "Coment", values: { x: 1 } })
    .select("Coment")
    .free();
  console.log(counts, means, names, table.countBy(...table.columns), table.numbers("Coment"), table.numbers(name));
}

/** Code for tables of any type takes the names of their columns, and the documented ones, in each method, and gets the values of the column. */
export function genericCode(table: FindingsTable, ours: FindingsTable<OurFinding>): void {
  function top<Name extends ColumnName<InspectionFinding>>(table: FindingsTable, name: Name) {
    return table.countBy(name)[0]?.key[0];
  }
  function values<Finding, Name extends ColumnName<Finding>>(
    table: FindingsTable<Finding>,
    name: Name,
  ): ColumnValue<Finding, Name>[] {
    return table.column(name);
  }
  function chart<Finding>(table: FindingsTable<Finding>, group: ColumnName<Finding>, value: NumberColumnName<Finding>) {
    const means: number[] = table.summarize(group, value).map(({ mean }) => mean);
    const both: number[] = table.summarize([group, "TopicGroup"], value).map(({ sum }) => sum);
    console.log(means, both, table.countBy(group), table.sortBy(group, "desc").length, table.select(group).length);
    return table.numbers(value);
  }
  function documented<Finding extends InspectionFinding>(table: FindingsTable<Finding>, name: string) {
    const negative: FindingsTable<Finding> = table.filter({ Sentiment: -1, Comment: { contains: "late" } });
    table.filter([{ Sentiment: { max: -1 } }, { TopicGroup: ["Price", null] }]).free();
    table.with("Segment", { by: "RespondentId", values: new Map([["r1", "new"]]) }).free();
    const [summary] = table.summarize("TopicGroup", { mean: "Sentiment", worst: { min: "Sentiment" } });
    console.log(summary?.worst, table.summarize("Topic.Text", "Sentiment"), table.numbers(name));
    // @ts-expect-error no sentiment is a text
    table.filter({ Sentiment: "bad" });
    return negative.numbers("Sentiment");
  }
  hasType<string | null | undefined>()(top(table, "TopicGroup"), true);
  hasType<(number | undefined)[]>()(values(ours, "Source.Page.Number"), true);
  hasType<Float64Array<ArrayBuffer> | undefined>()(chart(ours, "Language", "Source.Page.Number"), true);
  hasType<Float64Array<ArrayBuffer> | undefined>()(documented(ours, "Sentiment"), true);
  // @ts-expect-error texts have no mean
  chart(table, "TopicGroup", "Comment");
}

/** A table may be of one of two types, and can be used as one of a wider type. */
export function ofTypes(
  table: FindingsTable | FindingsTable<{ Sentiment: number; Kind: string }>,
  ours: FindingsTable<OurFinding>,
): [FindingsTable, FindingsTable<object>, FindingsTable<unknown>] {
  table.filter({ Sentiment: 1 }).sortBy("Sentiment").free();
  hasType<(number | undefined)[]>()(table.column("Sentiment"), true);
  console.log(table.numbers("Sentiment"), table.countBy("Sentiment"), table.summarize("Sentiment", "Sentiment"));
  return [ours, ours, ours];
}

/** A selection has the fields that it names, or perhaps those of names that are not literals. */
export function selections(table: FindingsTable, names: string[], known: ColumnName<InspectionFinding>[]): void {
  using some = table.select("TopicGroup", "Topic");
  hasType<string | undefined>()(some.at(0)?.Topic.Text, true);
  // @ts-expect-error it is not named
  console.log(some.at(0)?.Comment);
  // @ts-expect-error it may be left out
  table.select(names).at(0)?.Topic.Text;
  // @ts-expect-error
  table.select(...known).at(0)?.Topic.Text;
}

/** Distinct values are counted by a last argument, and by an aggregate of any name. */
export function aggregates(table: FindingsTable<OurFinding>, name: string): void {
  const [group] = table.countBy("TopicGroup", "Language", { distinct: "RespondentKey" });
  hasType<readonly [string | null, string] | undefined>()(group?.key, true);
  hasType<number | undefined>()(group?.distinct, true);
  const named = { distinct: "RespondentKey", mean: "Sentiment", worst: { min: "Sentiment" } } as const;
  const [summary] = table.summarize("TopicGroup", named);
  hasType<number | undefined>()(summary && summary.distinct + summary.mean + summary.worst + summary.count, true);
  const counts: DistinctCount[] = table.countBy([name], { distinct: ["Coment", name] });
  const [open] = table.summarize(name, { x: { mean: name } } satisfies Aggregates);
  console.log(counts, open?.x.toFixed());
  // @ts-expect-error it counts no distinct values
  console.log(table.countBy("TopicGroup")[0]?.distinct);
  // @ts-expect-error it is not named
  console.log(summary?.max);
  // @ts-expect-error a misspelled option
  table.countBy("TopicGroup", { distnct: "RespondentKey" });
  // @ts-expect-error a name is a text
  table.countBy("Topic.Text", { distinct: ["Sentiment", 1] });
  // @ts-expect-error each group has a key
  table.summarize("TopicGroup", { key: { min: "Sentiment" } });
  // @ts-expect-error a name that is no statistic needs one
  table.summarize("TopicGroup", { worst: "Sentiment" });
  // @ts-expect-error texts have no mean
  table.summarize("TopicGroup", "Comment");
  // @ts-expect-error
  table.summarize("TopicGroup", { mood: { mean: "Comment" } });
}

/** A condition has names of columns, and values that the column may have. Below an object of any fields, each name may be one. */
export function conditions(table: FindingsTable, ours: FindingsTable<OurFinding>, StringKey: number | null): void {
  const range: Condition<number> = { min: -1, max: undefined };
  // @ts-expect-error it has no bound
  const noRange: Condition<number> = { min: undefined };
  // @ts-expect-error it may have no bound
  const maybeRange: Condition<number> = { min: StringKey ?? undefined, max: StringKey ?? undefined };
  const texts: Scalar<string>[] = ["price", null, undefined];
  const where = { Comment: { contains: "late" }, NoTopic: [true, undefined] } as const;
  table.filter({ StringKey, Sentiment: range, TopicGroup: texts }).filter(where).free();
  table.filter({ Sentiment: { missing: true }, "Topic.Text": { not: { missing: true } } }).free();
  table.filter({ "Topic.Text": ["price", null], "Topic.Language": 1 }).free();
  ours
    .filter([{ Language: "de", "Source.Page.Number": { max: 3, min: undefined } }, { "Topic.Language": "de" }])
    .free();
  // @ts-expect-error
  ours.filter({ Language: 1 });
  // @ts-expect-error it has no bound
  table.filter({ Sentiment: { min: undefined } });
  // @ts-expect-error
  table.filter({ Other: { max: undefined } });
  // @ts-expect-error it would keep nothing
  table.filter({ Other: undefined });
  // @ts-expect-error
  table.filter({ Sentiment: "x" });
  // @ts-expect-error it would keep nothing
  table.filter({ Sentiment: undefined });
  // @ts-expect-error
  table.filter({ Sentiment: [1, "x"] });
  // @ts-expect-error
  table.filter({ Sentiment: { not: "x" } });
  // @ts-expect-error
  table.filter({ Sentiment: { contains: "x" } });
  // @ts-expect-error
  table.filter({ Comment: { min: 1 } });
  // @ts-expect-error
  table.filter({ NoTopic: 1 });
  console.log(noRange, maybeRange);
}

/** An object that is not what it seems is none of conditions, values, aggregates or findings. */
export function oddObjects(table: FindingsTable, parameters: URLSearchParams): void {
  // @ts-expect-error
  table.filter(new Map([["Sentiment", -1]]));
  // @ts-expect-error
  table.filter(parameters);
  // @ts-expect-error
  table.filter(Promise.resolve({ Sentiment: -1 }));
  // @ts-expect-error
  table.filter(/x/);
  // @ts-expect-error
  table.with("Segment", { by: "RespondentId", values: new Set(["r1"]) });
  // @ts-expect-error
  table.with("Segment", { by: "RespondentId", values: Promise.resolve({ r1: "new" }) });
  // @ts-expect-error
  FindingsTable.from({ Findings: [{ Comment: "x" }], errors: null });
  // @ts-expect-error
  FindingsTable.from(Promise.resolve([{ Comment: "x" }]));
  // @ts-expect-error
  FindingsTable.from({ Comment: "x" });
}

/** A list of directions has one for each column. */
export function directions(table: FindingsTable, names: string[], all: ("asc" | "desc")[]): void {
  table.sortBy(["Comment", "Sentiment"], ["asc", undefined]).sortBy("Comment", ["desc"]).free();
  table.sortBy(["Comment", "Sentiment"], "desc").sortBy(names, all).free();
  // @ts-expect-error
  table.sortBy(["Comment", "Sentiment"], ["desc"]);
  // @ts-expect-error
  table.sortBy("Comment", ["desc", "asc"]);
  // @ts-expect-error
  table.sortBy("Comment", ["up"]);
}

/** A column that `with` adds is in the type of the findings, under its key. */
export function addedColumns(table: FindingsTable, name: string): void {
  const bySegment = table.with("Segment", { by: "RespondentId", values: new Map([["r1", "new"]]) });
  const segment: string | undefined = bySegment.at(0)?.Segment;
  bySegment.filter({ Segment: segment ?? "new", Sentiment: -1 }).free();
  const weights = table.with("Weight", { by: "RespondentKey", keys: Int32Array.of(1), values: Float64Array.of(0.5) });
  hasType<(number | undefined)[]>()(weights.column("Weight"), true);
  const byKey = { by: "RespondentKey", values: new Map([[1, true]]) } as const;
  const dotted = table.with("a.b", byKey);
  hasType<boolean | undefined>()(dotted.at(0)?.["a.b"], true);
  hasType<(boolean | undefined)[]>()(dotted.column("a\\.b"), true);
  hasType<(boolean | undefined)[]>()(table.with("a\\b", byKey).column("a\\\\b"), true);
  const named = table.with(name, byKey);
  hasType<unknown>()(named.at(0)?.[name], true);
  hasType<unknown[]>()(named.column(name), true);
  hasType<string | undefined>()(named.at(0)?.Comment, true);
  table.with("Region", { by: "Other", keys: [1, "x"], values: ["north", undefined] }).free();
  table.with("Mood", { by: "Sentiment", values: new Map([[-2, "bad"]]) }).free();
  table.with("Area", { by: "TopicGroup", values: { Price: "money" } }).free();
  // @ts-expect-error the added column has strings
  bySegment.filter({ Segment: 1 });
  // @ts-expect-error a value is no object
  table.with("Segment", { by: "RespondentId", values: new Map([["r1", {}]]) });
  // @ts-expect-error a list needs keys
  table.with("Segment", { by: "RespondentId", values: ["new"] });
  // @ts-expect-error the keys of an object are strings, and those of the column are numbers
  table.with("Segment", { by: "RespondentKey", values: { 1: "new" } });
  // @ts-expect-error
  table.with("Segment", { by: "RespondentKey", values: new Map([["1", "new"]]) });
  // @ts-expect-error
  table.with("Segment", { by: "RespondentId", keys: [1], values: ["new"] });
  // @ts-expect-error no key is a boolean
  table.with("Segment", { by: "NoTopic", values: { true: "new" } });
}

/** A table of the caller's objects has what JSON keeps of them. */
export async function madeTables(findings: InspectionFinding[]): Promise<FindingsTable> {
  const nested = { list: [new Date(), undefined] };
  const made = await FindingsTable.from([{ at: new Date(), tags: new Set(["x"]), note: undefined, save() {}, nested }]);
  hasType<string[]>()(made.column("at"), true);
  hasType<unknown[]>()(made.column("save"), true);
  hasType<unknown[]>()(made.column("note"), true);
  hasType<(string | null)[] | undefined>()(made.at(0)?.nested.list, true);
  // @ts-expect-error JSON has no set
  made.at(0)?.tags.has("x");
  const from: Jsonified<{ at: Date }> = { at: "2026-01-31T12:00:00.000Z" };
  console.log(from.at.length);
  return FindingsTable.from(findings);
}

/** Joined tables have the type of their findings. */
export function joinedTables(topics: FindingsTable, bySegment: FindingsTable<{ Segment?: string }>): void {
  const twice: FindingsTable = FindingsTable.concat([topics, topics]);
  hasType<string | undefined>()(FindingsTable.concat(new Set([bySegment])).at(0)?.Segment, true);
  FindingsTable.concat([twice, bySegment]).free();
  using waves = FindingsTable.concat([topics, topics], { name: "Wave", values: ["spring", "autumn"] });
  hasType<string | undefined>()(waves.at(0)?.Comment, true);
  const wave: string | undefined = waves.at(0)?.Wave;
  console.log(wave);
  // @ts-expect-error a value is no object
  FindingsTable.concat([topics], { name: "Wave", values: [{}] });
  // @ts-expect-error the values need a name
  FindingsTable.concat([topics], { values: ["spring"] });
  // @ts-expect-error a table is no list of tables
  FindingsTable.concat(topics);
}
