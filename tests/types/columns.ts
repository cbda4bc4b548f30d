/** The columns of a table, named and typed by the type of its findings. It is only compiled. */

import type {
  Aggregates,
  ColumnName,
  Condition,
  Count,
  DistinctCount,
  FindingsTable,
  FindingText,
  InspectionFinding,
  NumberColumnName,
  Scalar,
} from "inspection-findings";
import { FindingsClient, getFindings, getPartition } from "inspection-findings";

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
export async function ofSome(client: FindingsClient, names: string[]): Promise<void> {
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
  hasType<InspectionFinding[]>()(await client.getFindings(1, "topics", { columns: names }), true);
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
  const [named] = await getFindings<OurFinding, "Language">(1, "topics", { columns: ["Language"] });
  hasType<string | undefined>()(named?.Language, true);
  // @ts-expect-error: TypeScript cannot infer the names beside a type argument
  await getFindings<OurFinding>(1, "topics", { columns: ["Language"] });
  // @ts-expect-error: the same of a client
  console.log(new FindingsClient<OurFinding>({ columns: ["Language"] }));
}

/** The columns of a client narrow the results of its calls, unless a call has other columns. */
export async function ofColumnsOfAClient(): Promise<void> {
  using client = new FindingsClient({ columns: ["Sentiment", "Topic"] });
  const [first] = await client.getFindings(1, "topics");
  hasType<-2 | -1 | 0 | 1 | 2 | undefined>()(first?.Sentiment, true);
  hasType<string | undefined>()(first?.Topic.Text, true);
  // @ts-expect-error: it is not named
  console.log(first?.Comment);
  const [other] = await client.getFindings(1, "topics", { columns: ["Comment"] });
  hasType<string | undefined>()(other?.Comment, true);
  // @ts-expect-error: the call's list replaces the client's
  console.log(other?.Sentiment);
  using ours = new FindingsClient<OurFinding, "Language">({ columns: ["Language"] });
  hasType<{ Language: string } | undefined>()((await ours.loadTable(1, "topics")).at(0), true);
  const other2: FindingsClient = new FindingsClient();
  const typed: FindingsClient<OurFinding> = new FindingsClient();
  console.log(other2, typed);
}

/** A selection has the fields that it names. */
export function ofSelected(table: FindingsTable, names: string[]): void {
  using some = table.select("TopicGroup", "Topic");
  hasType<string | null | undefined>()(some.at(0)?.TopicGroup, true);
  hasType<string | undefined>()(some.at(0)?.Topic.Text, true);
  // @ts-expect-error: it is not named
  console.log(some.at(0)?.Comment);
  using one = table.filter({ Sentiment: 1 }).select(["Sentiment"]);
  one.countBy("Sentiment");
  hasType<InspectionFinding[]>()(table.select(names).toArray(), true);
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
  hasType<number | undefined>()(table.column("Sentiment")[0], true);
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
      .filter({ [name]: "x", Language: "de", Sentiment: 1 })
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

/** Values are read, and groups of live tables are frozen. */
export function readOnly(table: FindingsTable, ours: FindingsTable<OurFinding>): void {
  console.log(table.column("TopicGroup").map((group) => group?.length));
  console.log(ours.column("Source.Tags").map((tags) => tags?.length));
  hasType<number | undefined>()(table.column("Sentiment")[0], true);
  const [group] = table.countBy("TopicGroup");
  // @ts-expect-error
  if (group) group.count = 1;
  // @ts-expect-error
  if (group) group.key[0] = "x";
  // @ts-expect-error
  table.column("TopicGroup")[0] = "x";
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
