/** The columns of a table, named and typed by the type of its findings. It is only compiled. */

import type {
  Aggregates,
  ColumnName,
  ColumnValue,
  Condition,
  Count,
  DistinctCount,
  FindingKind,
  FindingsOptions,
  FindingText,
  InspectionFinding,
  Jsonified,
  NumberColumnName,
  Options,
  Scalar,
  Summary,
} from "inspection-findings";
import { FindingsClient, FindingsTable, getFindings, getPartition } from "inspection-findings";
import type { FindingsStore } from "inspection-findings/keep";
import { useFindings, useLiveTable } from "inspection-findings/react";

type Sentiment = -2 | -1 | 0 | 1 | 2;

interface OurFinding extends InspectionFinding {
  Language: string;
  Source: { Page?: { Number: number } | null; Tags: string[]; Place?: { City: string }; Any: object };
  "a.b": boolean;
}

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

/** Compiles if the value has exactly this type. */
function hasType<Expected>() {
  return <Actual>(_value: Actual, _isSame: Same<Actual, Expected>) => {};
}

/** A name is that of a field, or the path of one inside an object. */
export function ofOurs(table: FindingsTable<OurFinding>): void {
  hasType<string[]>()(table.column("Language"), true);
  hasType<(number | undefined)[]>()(table.column("Source.Page.Number"), true);
  hasType<string[] | undefined>()(table.column("Source.Tags")[0], true);
  hasType<boolean | undefined>()(table.column("a\\.b")[0], true);
  hasType<string | undefined>()(table.column("Source.Place.City")[0], true);
  hasType<object | undefined>()(table.column("Source.Any")[0], true);
  // A field that may hold null besides objects has a column, too.
  hasType<{ Number: number } | null | undefined>()(table.column("Source.Page")[0], true);
  const [first] = table.countBy("Language", "Source.Page.Number", "Topic.Text");
  hasType<readonly [string, number | undefined, string | undefined] | undefined>()(first?.key, true);
  const [same] = table.countBy(["Language", "TopicGroup"]);
  hasType<readonly [string, string | null] | undefined>()(same?.key, true);
  hasType<readonly [] | undefined>()(table.countBy()[0]?.key, true);
  const [summary] = table.summarize(["Language", "TopicGroup"], "Sentiment");
  hasType<readonly [string, string | null] | undefined>()(summary?.key, true);
  table
    .filter({ Language: "de", "Source.Page.Number": { max: 3, min: undefined } })
    .sortBy("a\\.b", "desc")
    .free();
}

/** The texts of a finding are documented, their other fields are not. */
export function ofTexts(table: FindingsTable): void {
  hasType<string | undefined>()(table.column("Topic.Text")[0], true);
  hasType<unknown>()(table.column("Topic.Language")[0], true);
  table.filter({ "Topic.Text": ["price", null], "Topic.Language": 1 }).free();
}

/** The findings of a call have the fields that the call names. */
export async function ofSome(client: FindingsClient, ours: FindingsClient<OurFinding>): Promise<void> {
  const columns = ["TopicGroup", "Topic.Text", "Extract", "Sentiment"] as const;
  const [first] = await client.getFindings(1, "topics", { columns });
  hasType<string | null | undefined>()(first?.TopicGroup, true);
  hasType<string | undefined>()(first?.Topic.Text, true);
  hasType<FindingText | undefined>()(first?.Extract, true);
  hasType<Sentiment | undefined>()(first?.Sentiment, true);
  // @ts-expect-error: it is not named
  console.log(first?.Comment);
  using table = await client.loadTable(1, "topics", { columns: ["Sentiment", "Topic.Text", "Other"] });
  const [group] = table.countBy("Sentiment", "Topic.Text", "TopicGroup");
  hasType<readonly [Sentiment | undefined, string | undefined, unknown] | undefined>()(group?.key, true);
  const live = client.watchTable(1, "topics", { columns: ["Sentiment"] });
  // @ts-expect-error: it is not named
  live.getSnapshot().table.at(0)?.Comment;
  for await (const { findings } of client.streamPartitions(1, "topics", { columns: ["Comment"] })) {
    hasType<string | undefined>()(findings[0]?.Comment, true);
  }
  hasType<Record<never, never>[]>()(await client.getFindings(1, "topics", { columns: [] }), true);
  const [some] = await ours.getFindings(1, "topics", { columns: ["Language", "Source.Page.Number", "a\\.b"] });
  hasType<string | undefined>()(some?.Language, true);
  hasType<number | undefined>()(some?.Source.Page?.Number, true);
  hasType<boolean | undefined>()(some?.["a.b"], true);
  // TypeScript infers no names beside a type argument, so any field may be left out.
  const [named] = await getFindings<OurFinding>(1, "topics", { columns: ["Language", "Topic.Text"] });
  hasType<string | undefined>()(named?.Language, true);
  // @ts-expect-error
  named?.Topic.Text;
  const [onePartition] = await getPartition<OurFinding>(1, "topics", 0, { columns: ["Language"] });
  hasType<string | undefined>()(onePartition?.Language, true);
  // @ts-expect-error
  onePartition?.Comment.length;
  hasType<OurFinding[]>()(await getFindings<OurFinding>(1, "topics", { retries: 1 }), true);
}

/** The type of the findings is said once, at the client; without `columns`, which belongs to calls. */
export async function ofClients(client: FindingsClient<OurFinding>, names: string[]): Promise<FindingsClient[]> {
  hasType<OurFinding[]>()(await client.getFindings(1, "topics"), true);
  hasType<OurFinding | undefined>()(client.watchTable(1, "topics").getSnapshot().table.at(0), true);
  // @ts-expect-error only a call has columns
  const some = new FindingsClient({ columns: ["Sentiment", "Topic"] });
  // @ts-expect-error
  const open: Options = { columns: names };
  // @ts-expect-error options that are declared for any call have no columns, so its result is complete
  const ofCall: FindingsOptions = { columns: names };
  return [some, new FindingsClient(open), new FindingsClient(ofCall), new FindingsClient<OurFinding>()];
}

/** Names that are not literals may leave out any field. */
export async function ofAnyNames(
  client: FindingsClient,
  table: FindingsTable,
  names: string[],
  known: ColumnName<InspectionFinding>[],
): Promise<void> {
  const [first] = await client.getFindings(1, "topics", { columns: names });
  hasType<string | undefined>()(first?.Topic?.Text, true);
  // @ts-expect-error it may be left out
  first?.Topic.Text;
  const [one] = await getPartition(1, "topics", 0, { columns: [`${names[0]}`, "Comment"] });
  // @ts-expect-error
  one?.Comment.length;
  // @ts-expect-error
  client.watchTable(1, "topics", { columns: known }).getSnapshot().table.at(0)?.Topic.Text;
  // @ts-expect-error
  table.select(names).at(0)?.Topic.Text;
  // @ts-expect-error
  table.select(...known).at(0)?.Topic.Text;
  using some = table.select("TopicGroup", "Topic");
  hasType<string | undefined>()(some.at(0)?.Topic.Text, true);
  // @ts-expect-error: it is not named
  console.log(some.at(0)?.Comment);
}

/** Sentiment findings have a sentiment. */
export async function ofKinds(
  client: FindingsClient,
  ours: FindingsClient<OurFinding>,
  store: FindingsStore,
  kind: FindingKind,
): Promise<void> {
  const sentiments: Sentiment[] = (await getFindings(1, "sentiment")).map(({ Sentiment }) => Sentiment);
  sentiments.push(...(await client.getFindings(1, "sentiment")).map(({ Sentiment }) => Sentiment));
  sentiments.push(...(await getPartition(1, "sentiment", 0)).map(({ Sentiment }) => Sentiment));
  sentiments.push(...(await client.loadTable(1, "sentiment")).column("Sentiment"));
  sentiments.push(...(await ours.loadPartition(1, "sentiment", 0)).column("Sentiment"));
  sentiments.push(...(await store.load(client, 1, "sentiment")).getSnapshot().table.column("Sentiment"));
  for await (const { table } of ours.streamTables(1, "sentiment")) sentiments.push(...table.column("Sentiment"));
  const all: [InspectionFinding[], FindingsTable] = [
    await client.getFindings(1, "sentiment"),
    await client.loadTable(1, "sentiment"),
  ];
  // @ts-expect-error topic findings have none
  const [topics]: Sentiment[] = (await client.getFindings(1, "topics")).map(({ Sentiment }) => Sentiment);
  // @ts-expect-error they may be topic findings
  const [any]: Sentiment[] = (await client.loadTable(1, kind)).column("Sentiment");
  console.log(all, topics, any);
}

export function useKinds(client: FindingsClient): Sentiment[] {
  const { table } = useLiveTable(client, 1, "sentiment");
  const { findings } = useFindings(client, 1, "sentiment");
  return [...(table?.column("Sentiment") ?? []), ...(findings ?? []).map(({ Sentiment }) => Sentiment)];
}

/** Code for tables of any type takes the names of their columns, and the documented ones, in each method, and gets the values of the column. */
export function ofGenericCode(table: FindingsTable, ours: FindingsTable<OurFinding>): void {
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
    const byRespondent = { by: "RespondentId", values: new Map([["r1", "new"]]) } as const;
    table.with("Segment", byRespondent).free();
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

/** People are counted by a last argument, and by an aggregate of any name. */
export function ofPeople(table: FindingsTable<OurFinding>, name: string): void {
  const [group] = table.countBy("TopicGroup", "Language", { distinct: "RespondentKey" });
  hasType<readonly [string | null, string] | undefined>()(group?.key, true);
  hasType<number | undefined>()(group?.distinct, true);
  const aggregates = { distinct: "RespondentKey", mean: "Sentiment", worst: { min: "Sentiment" } } as const;
  const [summary] = table.summarize("TopicGroup", aggregates);
  hasType<number | undefined>()(summary && summary.distinct + summary.mean + summary.worst + summary.count, true);
  const counts: DistinctCount[] = table.countBy([name], { distinct: name });
  const [open] = table.summarize(name, { x: { mean: name } } satisfies Aggregates);
  console.log(counts, open?.x.toFixed());
  // @ts-expect-error it counts no distinct values
  console.log(table.countBy("TopicGroup")[0]?.distinct);
  // @ts-expect-error it is not named
  console.log(summary?.max);
  // @ts-expect-error a misspelled option
  table.countBy("TopicGroup", { distnct: "RespondentKey" });
  // @ts-expect-error each group has a key
  table.summarize("TopicGroup", { key: { min: "Sentiment" } });
  // @ts-expect-error a name that is no statistic needs one
  table.summarize("TopicGroup", { worst: "Sentiment" });
  // @ts-expect-error texts have no mean
  table.summarize("TopicGroup", "Comment");
  // @ts-expect-error
  table.summarize("TopicGroup", { mood: { mean: "Comment" } });
  // @ts-expect-error a list of names is the only argument
  table.countBy(["Comment"], "TopicGroup");
}

/** In each method, a name that the type does not know may be any column: only a query knows the columns of the service. */
export function byName(table: FindingsTable, other: FindingsTable<object>, name: string): void {
  hasType<unknown>()(table.column(name)[0], true);
  hasType<unknown>()(table.column("Coment")[0], true);
  hasType<readonly [string | null, unknown] | undefined>()(table.countBy("TopicGroup", "Language")[0]?.key, true);
  hasType<readonly [unknown] | undefined>()(other.countBy("Anything")[0]?.key, true);
  const where: Record<string, Condition> = { [name]: 1 };
  const counts: Count[] = table
    .filter(where)
    .filter([{ [name]: ["y"] }])
    .sortBy(["Comment", name])
    .countBy(name);
  const means: Summary[] = table.summarize(table.columns, "Weight");
  const names: [ColumnName<unknown>, NumberColumnName<OurFinding>[]] = [
    "Anything",
    ["Sentiment", "Source.Page.Number"],
  ];
  console.log(counts, means, names, table.countBy(...table.columns));
  const [misspelt] = table.filter({ Coment: { contains: "late" }, Sentiment: 1 }).summarize("Coment", "Sentimnt");
  hasType<readonly [unknown] | undefined>()(misspelt?.key, true);
  table
    .sortBy("Coment")
    .with("Segment", { by: "Coment", values: { x: 1 } })
    .select("Coment")
    .free();
  console.log(table.numbers("Coment"), table.numbers(name), table.countBy(["Coment"], { distinct: "Coment" }));
}

/** A field that holds only objects has no column: its nested fields have. */
export function ofObjects(table: FindingsTable, ours: FindingsTable<OurFinding>): void {
  hasType<unknown[]>()(table.column("Topic"), true);
  hasType<unknown[]>()(ours.column("Source"), true);
  hasType<readonly [unknown] | undefined>()(table.countBy("Topic")[0]?.key, true);
}

/** A table may be of one of two types. */
export function ofEither(table: FindingsTable | FindingsTable<{ Sentiment: number; Kind: string }>): void {
  table.filter({ Sentiment: 1 }).sortBy("Sentiment").free();
  hasType<(number | undefined)[]>()(table.column("Sentiment"), true);
  console.log(table.numbers("Sentiment"), table.countBy("Sentiment"), table.summarize("Sentiment", "Sentiment"));
}

/** A table can be used as one of a wider type. */
export function asWider(
  table: FindingsTable<OurFinding>,
): [FindingsTable, FindingsTable<object>, FindingsTable<unknown>] {
  return [table, table, table];
}

/** A column is a list; `numbers` is a typed array if all of its values are numbers. Groups are frozen. */
export function ofColumns(table: FindingsTable): void {
  hasType<(Sentiment | undefined)[]>()(table.column("Sentiment"), true);
  hasType<Float64Array<ArrayBuffer> | undefined>()(table.numbers("Sentiment"), true);
  // @ts-expect-error no text is a number
  table.numbers("Comment");
  // @ts-expect-error the field is called Comment
  table.at(0)?.Coment;
  const [group] = table.countBy("TopicGroup");
  // @ts-expect-error
  if (group) group.count = 1;
  // @ts-expect-error
  if (group) group.key[0] = "x";
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
  const isGerman = { Language: "de", "Source.Page.Number": 1 } as const;
  ours.filter([isGerman, { "Topic.Language": "de" }]).free();
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
  const row = {
    at: new Date(),
    tags: new Set(["x"]),
    note: undefined,
    save() {},
    nested: { list: [new Date(), undefined] },
  };
  const made = await FindingsTable.from([row]);
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
  waves.countBy("Wave", { distinct: ["Wave", "RespondentKey"] }).map(({ distinct }) => distinct + Number(wave));
  // @ts-expect-error a value is no object
  FindingsTable.concat([topics], { name: "Wave", values: [{}] });
  // @ts-expect-error the values need a name
  FindingsTable.concat([topics], { values: ["spring"] });
  // @ts-expect-error a name is a text
  topics.countBy("Topic.Text", { distinct: ["Sentiment", 1] });
  // @ts-expect-error a table is no list of tables
  FindingsTable.concat(topics);
}
