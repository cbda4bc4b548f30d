/** Tables, whose columns are named and typed by the type of their findings. It is only compiled. */

import {
  type AddedColumn,
  type Aggregates,
  type ColumnName,
  type ColumnValue,
  type Condition,
  FindingsTable,
  type InspectionFinding,
  type Jsonified,
  type NumberColumnName,
  type Scalar,
} from "inspection-findings";
import { crosstab } from "inspection-findings/survey";
import { meanOf } from "inspection-findings/survey/means";
import { respondentsOf } from "inspection-findings/survey/respondents";
import { client, hasType, known, name, names, type OurFinding, ours, type Sentiment, table } from "./given.js";

/** A name is that of a field, or the path of one inside an object. A field that holds only objects has no column. */
hasType<string[]>()(ours.column("Language"), true);
hasType<(number | undefined)[]>()(ours.column("Source.Page.Number"), true);
hasType<string[] | undefined>()(ours.column("Source.Tags")[0], true);
hasType<boolean | undefined>()(ours.column("a\\.b")[0], true);
hasType<string | undefined>()(ours.column("Source.Place.City")[0], true);
hasType<object | undefined>()(ours.column("Source.Any")[0], true);
hasType<{ Number: number } | null | undefined>()(ours.column("Source.Page")[0], true);
hasType<unknown[]>()(ours.column("Source"), true);
hasType<unknown[]>()(table.column("Topic"), true);
hasType<(Sentiment | undefined)[]>()(table.column("Sentiment"), true);
hasType<Float64Array<ArrayBuffer> | undefined>()(table.numbers("Sentiment"), true);
// The texts of a finding are documented, their other fields are not.
hasType<string | undefined>()(table.column("Topic.Text")[0], true);
hasType<unknown>()(table.column("Topic.Language")[0], true);

/** The key of a group has the types of its columns. */
const [byThree] = ours.countBy("Language", "Source.Page.Number", "Topic.Text");
hasType<readonly [string, number | undefined, string | undefined] | undefined>()(byThree?.key, true);
hasType<readonly [string, string | null] | undefined>()(ours.countBy(["Language", "TopicGroup"])[0]?.key, true);
hasType<readonly [] | undefined>()(ours.countBy()[0]?.key, true);
const [summary] = ours.summarize(["Language", "TopicGroup"], "Sentiment");
hasType<readonly [string, string | null] | undefined>()(summary?.key, true);

/** Distinct values are counted by a last argument, and by an aggregate of any name. */
const [distinct] = ours.countBy("TopicGroup", "Language", { distinct: "RespondentKey" });
hasType<readonly [string | null, string] | undefined>()(distinct?.key, true);
hasType<number | undefined>()(distinct?.distinct, true);
hasType<number | undefined>()(table.countBy([name], { distinct: ["Comment", name] })[0]?.distinct, true);
const named = { distinct: "RespondentKey", mean: "Sentiment", worst: { min: "Sentiment" } } as const;
const [statistics] = ours.summarize("TopicGroup", named);
hasType<number | undefined>()(statistics?.distinct, true);
hasType<number | undefined>()(statistics && statistics.mean + statistics.worst + statistics.count, true);
hasType<number | undefined>()(table.summarize(name, { x: { mean: name } } satisfies Aggregates)[0]?.x, true);

/** In each method, a name that is only known at run time may be any column; so may that of an object, and what lies below one of any fields. */
hasType<unknown>()(table.column(name)[0], true);
hasType<readonly [unknown, unknown] | undefined>()(ours.countBy("Topic.Language", "Source.Any.Id")[0]?.key, true);
hasType<readonly [unknown] | undefined>()((ours as FindingsTable<object>).countBy("Anything")[0]?.key, true);
hasType<readonly [unknown] | undefined>()(table.summarize("Topic", name)[0]?.key, true);
hasType<Float64Array<ArrayBuffer> | undefined>()(table.numbers(name), true);
const where: Record<string, Condition> = { [name]: 1 };
table
  .filter(where)
  .filter([{ [name]: ["y"] }])
  .filter({ [name]: { contains: "late" }, Sentiment: 1 })
  .countBy(name);
table.sortBy(["Comment", name]).sortBy(names).select(name).summarize(table.columns, name);
table.with("Segment", { by: name, values: { x: 1 } }).countBy(...table.columns);
["Any", "Source.Page.Number"] satisfies [ColumnName<unknown>, NumberColumnName<OurFinding>];

/** Code for tables of any type takes the names of their columns, and the documented ones, in each method, and gets the values of the column. */
export function genericCode(): void {
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
  function documented<Finding extends InspectionFinding>(table: FindingsTable<Finding>) {
    const negative: FindingsTable<Finding> = table.filter({ Sentiment: -1, Comment: { contains: "late" } });
    table.filter([{ Sentiment: { max: -1 } }, { TopicGroup: ["Price", null] }]).free();
    table.with("Segment", { by: "RespondentId", values: new Map([["r1", "new"]]) }).free();
    table.with("Segment", { by: "RespondentId", values: { r1: "new" } }).free();
    const column: AddedColumn<"RespondentId", string> = { by: "RespondentId", keys: ["r1"], values: ["new"] };
    table.with("Segment", column).free();
    table.with("Segment", { by: "StringKey", values: new Map([[1, 1]]) }).free();
    const mood = { negative: { Sentiment: { max: -1 } }, both: [{ Sentiment: 1 }, { Comment: { contains: "late" } }] };
    console.log(crosstab(table, mood, "TopicGroup", { distinct: "RespondentKey" }).cells);
    console.log(crosstab(table, name, ["Sentiment", "TopicGroup"]));
    const [summary] = table.summarize("TopicGroup", { mean: "Sentiment", worst: { min: "Sentiment" } });
    console.log(summary?.worst, table.summarize("Topic.Text", "Sentiment"), table.numbers(name));
    return negative.numbers("Sentiment");
  }
  hasType<string | null | undefined>()(top(table, "TopicGroup"), true);
  hasType<(number | undefined)[]>()(values(ours, "Source.Page.Number"), true);
  hasType<Float64Array<ArrayBuffer> | undefined>()(chart(ours, "Language", "Source.Page.Number"), true);
  hasType<Float64Array<ArrayBuffer> | undefined>()(documented(ours), true);
  // @ts-expect-error texts have no mean
  chart(table, "TopicGroup", "Comment");
}

/** A table may be of one of two types, and can be used as one of a wider type. */
export function ofTypes(either: FindingsTable | FindingsTable<{ Sentiment: number; Kind: string }>): FindingsTable[] {
  either.filter({ Sentiment: 1 }).sortBy("Sentiment").free();
  hasType<(number | undefined)[]>()(either.column("Sentiment"), true);
  console.log(either.numbers("Sentiment"), either.countBy("Sentiment"), either.summarize("Sentiment", "Sentiment"));
  const wider: FindingsTable<unknown> = ours;
  return [ours, FindingsTable.concat([table, ours]), wider.length > 0 ? table : ours];
}

/** A selection has the fields that it names, or perhaps those of names that are not literals. */
hasType<string | undefined>()(table.select("TopicGroup", "Topic").at(0)?.Topic.Text, true);
hasType<string | undefined>()(table.select(names).at(0)?.Topic?.Text, true);
hasType<string | undefined>()(table.select(...known).at(0)?.Topic?.Text, true);

/** A condition has values that the column may have. Below an object of any fields, each name may be one. */
const range: Condition<number> = { min: -1, max: undefined };
const texts: Scalar<string>[] = ["price", null, undefined];
table.filter({ StringKey: null, Sentiment: range, TopicGroup: texts });
table.filter({ Sentiment: { missing: true }, "Topic.Text": { not: { missing: true } } });
table.filter({ "Topic.Text": ["price", null], "Topic.Language": 1 });
ours.filter([{ Language: "de", "Source.Page.Number": { max: 3, min: undefined } }, { "Topic.Language": "de" }]);

/** A list of directions has one for each column. */
table.sortBy(["Comment", "Sentiment"], ["asc", undefined]).sortBy("Comment", ["desc"]);
table.sortBy(["Comment", "Sentiment"], "desc").sortBy(names, ["asc", "desc"] as ("asc" | "desc")[]);

/** A column that `with` adds is in the type of the findings, under its key. */
const bySegment = table.with("Segment", { by: "RespondentId", values: new Map([["r1", "new"]]) });
bySegment.at(0)?.Segment satisfies string | undefined;
bySegment.filter({ Segment: "new", Sentiment: -1 });
const weights = table.with("Weight", { by: "RespondentKey", keys: Int32Array.of(1), values: Float64Array.of(0.5) });
hasType<(number | undefined)[]>()(weights.column("Weight"), true);
const byKey = { by: "RespondentKey", values: new Map([[1, true]]) } as const;
hasType<boolean | undefined>()(table.with("a.b", byKey).at(0)?.["a.b"], true);
hasType<(boolean | undefined)[]>()(table.with("a.b", byKey).column("a\\.b"), true);
hasType<(boolean | undefined)[]>()(table.with("a\\b", byKey).column("a\\\\b"), true);
hasType<unknown>()(table.with(name, byKey).at(0)?.[name], true);
hasType<unknown[]>()(table.with(name, byKey).column(name), true);
hasType<string | undefined>()(table.with(name, byKey).at(0)?.Comment, true);

/** A table of the caller's objects has what JSON keeps of them. */
export async function madeTables(findings: InspectionFinding[]): Promise<FindingsTable> {
  const nested = { list: [new Date(), undefined] };
  const made = await FindingsTable.from([{ at: new Date(), tags: new Set(["x"]), note: undefined, save() {}, nested }]);
  hasType<string[]>()(made.column("at"), true);
  hasType<unknown[]>()(made.column("save"), true);
  hasType<unknown[]>()(made.column("note"), true);
  hasType<(string | null)[] | undefined>()(made.at(0)?.nested.list, true);
  const from: Jsonified<{ at: Date }> = { at: "2026-01-31T12:00:00.000Z" };
  return from.at.length > 0 ? FindingsTable.from(findings) : table;
}

/** Joined tables have the type of their findings. */
FindingsTable.concat(new Set([bySegment])).at(0)?.Segment satisfies string | undefined;
hasType<string | undefined>()(FindingsTable.concat([table, bySegment]).at(0)?.Comment, true);
const waves = FindingsTable.concat([table, table], { name: "Wave", values: ["spring", "autumn"] });
hasType<string | undefined>()(waves.at(0)?.Comment, true);
waves.at(0)?.Wave satisfies string | undefined;

/** A base may have the columns of an axis alone, and joined tables have the columns of each. */
declare const people: FindingsTable<{ RespondentKey: number; Segment: string; Home: { Town: string } }>;
const asked = { base: people, distinct: "RespondentKey" } as const;
crosstab(table, "TopicGroup", "Segment", asked);
crosstab(table, "TopicGroup", { young: { Segment: "young" }, town: "Home.Town", mood: { Sentiment: -1 } }, asked);
crosstab(table, "TopicGroup", "Any", { ...asked, base: people as FindingsTable<unknown> });
FindingsTable.concat([table, bySegment, ours]).countBy("Segment", "Language", { distinct: ["RespondentKey", name] });
export async function joined(): Promise<number | undefined> {
  const kinds = [await client.loadTable(1, "sentiment"), await client.loadTable(1, "topics")] as const;
  const both = FindingsTable.concat(kinds);
  both.filter({ Sentiment: { max: -1 } }).summarize("TopicGroup", "Sentiment");
  hasType<(Sentiment | undefined)[]>()(both.column("Sentiment"), true);
  return both.at(0)?.Sentiment;
}
meanOf(ours, "Sentiment", { per: ["RespondentKey", name], by: ["Language", "TopicGroup"] });
respondentsOf(table, { per: "RespondentId", by: "TopicGroup", keep: ["Segment"], base: people });

/** The numbers of a base have the keys of the columns: those of an object are strings. */
crosstab(table, "Topic.Text", "TopicGroup", { base: { Price: 10 } });
crosstab(table, "TopicGroup", "Sentiment", { base: new Map([[-2, 10]]) });
crosstab(table, "TopicGroup", "Sentiment", { base: ours, distinct: "RespondentKey" });
crosstab(table, "TopicGroup", { negative: { Sentiment: -1 } }, { base: { negative: 10 } });
crosstab(table, name, [name], { base: { new: 10 } });
crosstab(ours, { german: { Language: "de" } }, { late: { Comment: { contains: "late" } } }, { base: { late: 10 } });
