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
  NumberColumnName,
  Options,
  Scalar,
} from "inspection-findings";
import { FindingsClient, FindingsTable, getFindings, getPartition } from "inspection-findings";
import type { FindingsStore } from "inspection-findings/keep";
import { useFindings, useLiveTable } from "inspection-findings/react";

interface OurFinding extends InspectionFinding {
  Language: string;
  Source: { Page?: { Number: number } | null; Tags: string[]; Place?: { City: string }; Any: object };
  "a.b": boolean;
}

/** A finding of which not all fields are known. */
interface OpenFinding extends InspectionFinding {
  [field: string]: unknown;
}

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

/** Compiles if the value has exactly this type. */
function hasType<Expected>() {
  return <Actual>(_value: Actual, _isSame: Same<Actual, Expected>) => {};
}

export function ofOurs(table: FindingsTable<OurFinding>): void {
  hasType<string | undefined>()(table.column("Language")[0], true);
  hasType<number | undefined>()([...table.column("Source.Page.Number")][0], true);
  hasType<string[] | undefined>()(table.column("Source.Tags")[0], true);
  hasType<boolean | undefined>()(table.column("a\\.b")[0], true);
  hasType<string | undefined>()(table.column("Source.Place.City")[0], true);
  hasType<object | undefined>()(table.column("Source.Any")[0], true);
  const [first] = table.countBy("Language", "Source.Page.Number", "Topic.Text");
  hasType<readonly [string, number | undefined, string | undefined] | undefined>()(first?.key, true);
  const [same] = table.countBy(["Language", "Source.Page.Number", "Topic.Text"]);
  hasType<readonly [string, number | undefined, string | undefined] | undefined>()(same?.key, true);
  const [all] = table.countBy();
  hasType<readonly [] | undefined>()(all?.key, true);
  const [summary] = table.summarize(["Language", "TopicGroup"], "Sentiment");
  hasType<readonly [string, string | null] | undefined>()(summary?.key, true);
  const [ofOne] = table.summarize("Language", "Source.Page.Number");
  hasType<readonly [string] | undefined>()(ofOne?.key, true);
  table
    .filter({ Language: "de", "Source.Page.Number": { max: 3, min: undefined } })
    .sortBy("a\\.b", "desc")
    .free();
}

/** A field that may hold null besides objects has a column of its own. */
export function ofNull(table: FindingsTable<OurFinding>): void {
  hasType<{ Number: number } | null | undefined>()(table.column("Source.Page")[0], true);
}

/** The texts of a finding are documented, their other fields are not. */
export function ofTexts(table: FindingsTable): void {
  hasType<string | undefined>()(table.column("Topic.Text")[0], true);
  hasType<unknown>()(table.column("Topic.Language")[0], true);
  console.log(table.summarize("Extract.Text", "Expression.Weight"));
  table.filter({ "Topic.Text": ["price", null], "Topic.Language": 1 }).free();
}

/** The findings of a call have the fields that the call names. */
export async function ofSome(client: FindingsClient): Promise<void> {
  const columns = ["TopicGroup", "Topic.Text", "Extract", "Sentiment"] as const;
  const [first] = await client.getFindings(1, "topics", { columns });
  hasType<string | null | undefined>()(first?.TopicGroup, true);
  hasType<string | undefined>()(first?.Topic.Text, true);
  hasType<FindingText | undefined>()(first?.Extract, true);
  hasType<-2 | -1 | 0 | 1 | 2 | undefined>()(first?.Sentiment, true);
  // @ts-expect-error: it is not named
  console.log(first?.Comment);
  using table = await client.loadTable(1, "topics", { columns: ["Sentiment", "Topic.Text", "Other"] });
  const [group] = table.countBy("Sentiment", "Topic.Text", "TopicGroup");
  hasType<readonly [-2 | -1 | 0 | 1 | 2 | undefined, string | undefined, unknown] | undefined>()(group?.key, true);
  using live = client.watchTable(1, "topics", {
    columns: ["Sentiment"],
    onProgress: (progress) => console.log(progress.findingsDone, live.getSnapshot().state),
  });
  // @ts-expect-error: it is not named
  live.getSnapshot().table.at(0)?.Comment;
  for await (const { findings } of client.streamPartitions(1, "topics", { columns: ["Comment"] })) {
    hasType<string | undefined>()(findings[0]?.Comment, true);
  }
  hasType<Record<never, never>[]>()(await client.getFindings(1, "topics", { columns: [] }), true);
  const [one] = await getPartition(1, "topics", 0, { columns: ["Comment", "Mine"] });
  hasType<string | undefined>()(one?.Comment, true);
  // @ts-expect-error: it is not named
  console.log(one?.TopicGroup);
}

/** The type of the findings is said once, at the client. */
export async function ofOurClient(client: FindingsClient<OurFinding>): Promise<void> {
  hasType<OurFinding[]>()(await client.getFindings(1, "topics"), true);
  const [some] = await client.getFindings(1, "topics", { columns: ["Language", "Source.Page.Number", "a\\.b"] });
  hasType<string | undefined>()(some?.Language, true);
  hasType<number | undefined>()(some?.Source.Page?.Number, true);
  hasType<boolean | undefined>()(some?.["a.b"], true);
  // @ts-expect-error: it is not named
  console.log(some?.Comment.length);
  using table = await client.loadTable(1, "topics");
  hasType<string | undefined>()(table.column("Language")[0], true);
  hasType<OurFinding | undefined>()(client.watchTable(1, "topics").getSnapshot().table.at(0), true);
  hasType<OurFinding[]>()(await getFindings<OurFinding>(1, "topics", { timeout: 1 }), true);
  const [named] = await getFindings<OurFinding, ["Language"]>(1, "topics", { columns: ["Language"] });
  hasType<string | undefined>()(named?.Language, true);
  // @ts-expect-error: TypeScript cannot infer the names beside a type argument
  await getFindings<OurFinding>(1, "topics", { columns: ["Language"] });
}

/** A client with fewer fields is not a client: `columns` belongs to calls. */
export function ofClients(names: string[]): FindingsClient[] {
  // @ts-expect-error only a call has columns
  const some = new FindingsClient({ columns: ["Sentiment", "Topic"] });
  // @ts-expect-error
  const open: Options = { columns: names };
  // @ts-expect-error options that are declared for any call have no columns, so its result is complete
  const ofCall: FindingsOptions = { columns: names };
  const typed: FindingsClient<OurFinding> = new FindingsClient();
  return [some, new FindingsClient(open), new FindingsClient(ofCall), typed];
}

/** Names that are not literals may leave out any field. */
export async function ofAnyNames(
  client: FindingsClient,
  table: FindingsTable,
  names: string[],
  known: ColumnName<InspectionFinding>[],
): Promise<void> {
  const [first] = await client.getFindings(1, "topics", { columns: names });
  hasType<string | undefined>()(first?.Comment, true);
  hasType<string | undefined>()(first?.Topic?.Text, true);
  hasType<string | null | undefined>()(first?.TopicGroup, true);
  // @ts-expect-error it may be left out
  first?.Topic.Text;
  const [same] = await client.getFindings(1, "topics", { columns: known });
  // @ts-expect-error
  same?.Topic.Text;
  const [one] = await getPartition(1, "topics", 0, { columns: [`${names[0]}`, "Comment"] });
  // @ts-expect-error
  one?.Comment.length;
  // @ts-expect-error
  client.watchTable(1, "topics", { columns: names }).getSnapshot().table.at(0)?.Topic.Text;
  // @ts-expect-error
  table.select(...names).at(0)?.Topic.Text;
  // @ts-expect-error
  table.select(names).at(0)?.Topic.Text;
  // @ts-expect-error
  table.select(...known).at(0)?.Topic.Text;
  hasType<string | undefined>()(table.select(names).column("Comment")[0], true);
  hasType<string[] | undefined>()(
    (await client.loadTable(1, "topics", { columns: names })).at(0)?.Comment?.split(""),
    true,
  );
}

/** Sentiment findings have a sentiment. */
export async function ofKinds(
  client: FindingsClient,
  ours: FindingsClient<OurFinding>,
  open: FindingsClient<Record<string, unknown>>,
  store: FindingsStore,
  kind: FindingKind,
): Promise<void> {
  type Sentiment = -2 | -1 | 0 | 1 | 2;
  const [first] = await client.getFindings(1, "sentiment");
  hasType<Sentiment | undefined>()(first?.Sentiment, true);
  const sentiments: Sentiment[] = (await getFindings(1, "sentiment")).map(({ Sentiment }) => Sentiment);
  sentiments.push(...(await client.getPartition(1, "sentiment", 0)).map(({ Sentiment }) => Sentiment));
  sentiments.push(...(await getPartition(1, "sentiment", 0)).map(({ Sentiment }) => Sentiment));
  sentiments.push(...(await client.loadTable(1, "sentiment")).column("Sentiment"));
  sentiments.push(...(await ours.loadPartition(1, "sentiment", 0)).column("Sentiment"));
  sentiments.push(...client.watchTable(1, "sentiment").getSnapshot().table.column("Sentiment"));
  sentiments.push(...(await store.load(client, 1, "sentiment")).getSnapshot().table.column("Sentiment"));
  for await (const { findings } of client.streamPartitions(1, "sentiment"))
    sentiments.push(...findings.map(({ Sentiment }) => Sentiment));
  for await (const { table } of ours.streamTables(1, "sentiment")) sentiments.push(...table.column("Sentiment"));
  const [some] = await client.getFindings(1, "sentiment", { columns: ["Sentiment"] });
  hasType<Sentiment | undefined>()(some?.Sentiment, true);
  const all: InspectionFinding[] = await client.getFindings(1, "sentiment");
  const table: FindingsTable = await client.loadTable(1, "sentiment");
  const texts: string[] = (await ours.getFindings(1, "sentiment")).map(({ Language }) => Language);
  hasType<unknown>()((await open.getFindings(1, "sentiment"))[0]?.Anything, true);
  // @ts-expect-error topic findings have none
  const [topics]: Sentiment[] = (await client.getFindings(1, "topics")).map(({ Sentiment }) => Sentiment);
  // @ts-expect-error they may be topic findings
  const [any]: Sentiment[] = (await client.loadTable(1, kind)).column("Sentiment");
  console.log(all, table, texts, topics, any);
}

export function useKinds(client: FindingsClient): (-2 | -1 | 0 | 1 | 2)[] {
  const { table } = useLiveTable(client, 1, "sentiment");
  const { findings } = useFindings(client, 1, "sentiment");
  return [...(table?.column("Sentiment") ?? []), ...(findings ?? []).map(({ Sentiment }) => Sentiment)];
}

/** Code for tables of any type gets the values of the column that it is asked for. */
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
  function keyOf<Finding, Name extends ColumnName<Finding>>(table: FindingsTable<Finding>, name: Name) {
    return table.countBy(name)[0]?.key[0];
  }
  hasType<string | null | undefined>()(top(table, "TopicGroup"), true);
  hasType<number | undefined>()(top(table, "RespondentKey"), true);
  hasType<string[]>()(values(ours, "Language"), true);
  hasType<(number | undefined)[]>()(values(ours, "Source.Page.Number"), true);
  hasType<string | undefined>()(keyOf(ours, "Language"), true);
}

/** A selection has the fields that it names. */
export function ofSelected(table: FindingsTable): void {
  using some = table.select("TopicGroup", "Topic");
  hasType<string | null | undefined>()(some.at(0)?.TopicGroup, true);
  hasType<string | undefined>()(some.at(0)?.Topic.Text, true);
  // @ts-expect-error: it is not named
  console.log(some.at(0)?.Comment);
  using one = table.filter({ Sentiment: 1 }).select(["Sentiment"]);
  one.countBy("Sentiment");
}

export function ofOpen(table: FindingsTable<OpenFinding>): void {
  hasType<string>()(table.column("Comment")[0] ?? "", true);
  hasType<string | undefined>()(table.column("Topic.Text")[0], true);
  hasType<unknown>()(table.column("Anything.At.All")[0], true);
  table.filter({ Anything: 1, Sentiment: { min: 1 } }).summarize("Anything", "Another");
}

export function conditions(table: FindingsTable, StringKey: number | null): void {
  const range: Condition<number> = { min: -1, max: undefined };
  const texts: Scalar<string>[] = ["price", null, undefined];
  const where = { Comment: { contains: "late" }, NoTopic: [true, undefined] } as const;
  table.filter({ StringKey, Sentiment: range, TopicGroup: texts }).filter(where).filter({ TopicGroup: null }).free();
}

export function ofAny(table: FindingsTable): void {
  for (const {
    key: [group, sentiment],
    count,
  } of table.countBy("TopicGroup", "Sentiment")) {
    console.log(group?.length, sentiment?.toFixed(), count);
  }
}

/** People are counted by a last argument, and by an aggregate of any name. */
export function ofPeople(table: FindingsTable<OurFinding>, name: string): void {
  const [group] = table.countBy("TopicGroup", "Language", { distinct: "RespondentKey" });
  hasType<readonly [string | null, string] | undefined>()(group?.key, true);
  hasType<number | undefined>()(group?.distinct, true);
  const [same] = table.countBy(["TopicGroup"], { distinct: name });
  hasType<readonly [string | null] | undefined>()(same?.key, true);
  const [all] = table.countBy([], { distinct: "RespondentKey" });
  hasType<readonly [] | undefined>()(all?.key, true);
  const aggregates = {
    distinct: "RespondentKey",
    mean: "Sentiment",
    worst: { min: "Sentiment" },
    langs: { distinct: "Language" },
  } as const;
  const [summary] = table.summarize("TopicGroup", aggregates);
  hasType<number | undefined>()(summary?.worst, true);
  hasType<number | undefined>()(summary && summary.distinct + summary.mean + summary.langs + summary.count, true);
  const counts: DistinctCount[] = table.countBy(name, { distinct: name });
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
  table.summarize("TopicGroup", { mean: "Comment" });
  // @ts-expect-error
  table.summarize("TopicGroup", { mood: { mean: "Comment" } });
}

/** A name that the type does not know may be any column: only a query knows the columns of the service. */
export function byName(table: FindingsTable, name: string): void {
  hasType<unknown>()(table.column(name)[0], true);
  hasType<unknown>()(table.column("Coment")[0], true);
  const counts: Count[] = table.countBy("Comment", name);
  const [group] = table.countBy("TopicGroup", "Language");
  hasType<readonly [string | null, unknown] | undefined>()(group?.key, true);
  const means = table.summarize([name], name).map(({ mean }) => mean);
  const where: Record<string, Condition> = { [name]: 1 };
  console.log(
    counts,
    means,
    table
      .filter(where)
      .filter({ [name]: "x", Sentiment: 1 })
      .filter([{ [name]: "x" }, { [name]: ["y"] }])
      .sortBy(name)
      .sortBy(["Comment", "Language"]).length,
  );
  console.log(table.countBy([name, "Comment"]), table.countBy(table.columns), table.countBy(...table.columns));
  console.log(
    table.summarize(name, "Sentiment"),
    table.summarize("Comment", name),
    table.summarize(table.columns, "Weight"),
    table.summarize("Language", { mean: "Weight", numbers: name }).map(({ mean, numbers }) => mean * numbers),
  );
  for (const column of table.columns) table.column(column);
}

/** Without known fields, any string may be a column. */
export function ofOpenTypes(table: FindingsTable<Record<string, unknown>>, other: FindingsTable<object>): void {
  hasType<unknown>()(table.column("Anything.At.All")[0], true);
  hasType<readonly [unknown] | undefined>()(other.countBy("Anything")[0]?.key, true);
  const names: ColumnName<unknown>[] = ["Anything"];
  const numbers: NumberColumnName<OurFinding>[] = ["Sentiment", "Source.Page.Number"];
  console.log(names, numbers, table.filter({ Anything: "x" }).summarize("Anything", "Another"));
}

/** A table can be used as one of a wider type. */
export function asWider(
  table: FindingsTable<OurFinding>,
): [FindingsTable, FindingsTable<object>, FindingsTable<unknown>] {
  return [table, table, table];
}

/** Groups of live tables are frozen. */
export function readOnly(table: FindingsTable): void {
  const [group] = table.countBy("TopicGroup");
  // @ts-expect-error
  if (group) group.count = 1;
  // @ts-expect-error
  if (group) group.key[0] = "x";
}

/** A column is a list, whatever its values are; `numbers` is a typed array if all of them are numbers. */
export function ofColumns(table: FindingsTable, ours: FindingsTable<OurFinding>, name: string): void {
  const texts: string[] = table.column("Sentiment").map((value) => `s${value}`);
  const sum: number = table.column("Sentiment").reduce((sum: number, value) => sum + (value ?? 0), 0);
  const other: string[] = [table.column("RespondentKey").map(String), table.column(name).map(String)].flat();
  const lengths = ours.column("Source.Tags").map((tags) => tags?.length);
  hasType<(-2 | -1 | 0 | 1 | 2 | undefined)[]>()(table.column("Sentiment"), true);
  hasType<Float64Array<ArrayBuffer> | undefined>()(table.numbers("Sentiment"), true);
  console.log(texts, sum, other, lengths, table.numbers(name), ours.numbers("Source.Page.Number"));
  // @ts-expect-error no text is a number
  table.numbers("Comment");
}

export function mistakes(table: FindingsTable): void {
  // @ts-expect-error the field is called Comment
  table.at(0)?.Coment;
  // @ts-expect-error a negation of a wrong type
  table.filter({ Sentiment: { not: "x" } });
  // @ts-expect-error an unknown statistic
  table.summarize("TopicGroup", { median: "Sentiment" });
  // @ts-expect-error a list of names is the only argument
  table.countBy(["Comment"], "TopicGroup");
  for (const group of table.countBy("TopicGroup")) {
    // @ts-expect-error the groups of a live table are frozen
    group.count = 1;
    // @ts-expect-error
    group.key[0] = null;
  }
}

/** A name that a literal misspells is no column; below an object of any fields, each name may be one. */
export function namesOfConditions(
  table: FindingsTable,
  ours: FindingsTable<OurFinding>,
  where: Record<string, Condition>,
) {
  // @ts-expect-error
  table.filter({ Coment: "x" });
  // @ts-expect-error
  table.filter([{ Comment: "x" }, { Coment: "x" }]);
  // @ts-expect-error
  table.filter({ Sentiment: 1, "Topic.Text": "x", Coment: { contains: "x" } });
  // @ts-expect-error a name of another type of findings
  table.filter({ Language: "de" });
  // @ts-expect-error a list has the same conditions
  table.filter([{ Sentiment: "x" }]);
  const isGerman = { Language: "de", "Source.Page.Number": 1 } as const;
  ours
    .filter(isGerman)
    .filter([isGerman, { "Topic.Language": "de" }])
    .filter([where, { Sentiment: 1 }])
    .free();
}

/** A condition that no value of the column can meet. */
export function conditionsOfOtherTypes(table: FindingsTable, open: FindingsTable<OpenFinding>): void {
  // @ts-expect-error
  table.filter({ Sentiment: "x" });
  // @ts-expect-error it would keep nothing
  table.filter({ Sentiment: undefined });
  table.filter({
    Sentiment: { missing: true },
    TopicGroup: [null, undefined],
    "Topic.Text": { not: { missing: true } },
  });
  // @ts-expect-error
  table.filter({ Sentiment: [1, "x"] });
  // @ts-expect-error
  table.filter({ Sentiment: { contains: "x" } });
  // @ts-expect-error
  table.filter({ Comment: 1 });
  // @ts-expect-error
  table.filter({ Comment: { min: 1 } });
  // @ts-expect-error
  table.filter({ NoTopic: 1 });
  // @ts-expect-error
  table.filter({ "Topic.Text": 1 });
  // @ts-expect-error
  open.filter({ Sentiment: "x" });
}

/** A column that `with` adds is in the type of the findings. */
export function addedColumns(table: FindingsTable): void {
  const segments = new Map([["r1", "new"]]);
  const bySegment = table.with("Segment", { by: "RespondentId", values: segments });
  const segment: string | undefined = bySegment.at(0)?.Segment;
  bySegment.filter({ Segment: segment ?? "new", Sentiment: -1 }).free();
  table.with("Weight", { by: "RespondentKey", keys: Int32Array.of(1), values: Float64Array.of(0.5) }).free();
  // @ts-expect-error the added column has strings
  bySegment.filter({ Segment: 1 });
  // @ts-expect-error a value is no object
  table.with("Segment", { by: "RespondentId", values: new Map([["r1", {}]]) });
  // @ts-expect-error a list needs keys
  table.with("Segment", { by: "RespondentId", values: ["new"] });
}

/** Joined tables have the type of their findings. */
export function joinedTables(topics: FindingsTable, bySegment: FindingsTable<{ Segment?: string }>): void {
  const twice: FindingsTable = FindingsTable.concat([topics, topics]);
  twice.filter({ Sentiment: -1 }).free();
  const segment: string | undefined = FindingsTable.concat(new Set([bySegment])).at(0)?.Segment;
  FindingsTable.concat([topics, bySegment]).free();
  // @ts-expect-error a table is no list of tables
  FindingsTable.concat(topics);
  void segment;
}
