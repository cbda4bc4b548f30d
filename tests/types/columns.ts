/** The columns of a table, named and typed by the type of its findings. It is only compiled. */

import type { ColumnName, Condition, Count, FindingsTable, InspectionFinding } from "inspection-findings";

interface OurFinding extends InspectionFinding {
  Language: string;
  Source: { Page?: { Number: number } | null; Tags: string[] };
  "a.b": boolean;
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
  // The service documents no fields of a topic.
  hasType<unknown>()(table.column("Topic.Text")[0], true);
  const [first] = table.countBy("Language", "Source.Page.Number", "Topic.Text");
  hasType<[string, number | undefined, unknown] | undefined>()(first?.key, true);
  const [summary] = table.summarize(["Language", "TopicGroup"], "Sentiment");
  hasType<[string, string | null] | undefined>()(summary?.key, true);
  table
    .filter({ Language: "de", "Source.Page.Number": { max: 3, min: undefined } })
    .sortBy("a\\.b", "desc")
    .free();
}

export function ofAny(table: FindingsTable): void {
  hasType<-2 | -1 | 0 | 1 | 2 | undefined>()(table.column("Sentiment")[0], true);
  for (const {
    key: [group, sentiment],
    count,
  } of table.countBy("TopicGroup", "Sentiment")) {
    console.log(group?.length, sentiment?.toFixed(), count);
  }
}

/** A name that is known at run time only may be any column. */
export function byName(table: FindingsTable, name: string): void {
  hasType<unknown>()(table.column(name)[0], true);
  const counts: Count[] = table.countBy("Comment", name);
  const means = table.summarize([name], name).map(({ mean }) => mean);
  const where: Record<string, Condition> = { [name]: 1 };
  console.log(counts, means, table.filter(where).sortBy(name).length);
  for (const column of table.columns) table.column(column);
}

/** Without known fields, any string may be a column. */
export function ofOpenTypes(table: FindingsTable<Record<string, unknown>>, other: FindingsTable<object>): void {
  hasType<unknown>()(table.column("Anything.At.All")[0], true);
  hasType<[unknown] | undefined>()(other.countBy("Anything")[0]?.key, true);
  const names: ColumnName<unknown>[] = ["Anything"];
  console.log(names);
}

/** A table can be used as one of a wider type. */
export function asWider(
  table: FindingsTable<OurFinding>,
): [FindingsTable, FindingsTable<object>, FindingsTable<unknown>] {
  return [table, table, table];
}

export function mistakes(table: FindingsTable): void {
  // @ts-expect-error the field is called Comment
  table.at(0)?.Coment;
  // @ts-expect-error
  table.column("Coment");
  // @ts-expect-error
  table.countBy("TopicGroup", "Coment");
  // @ts-expect-error
  table.summarize(["Coment"], "Sentiment");
  // @ts-expect-error
  table.summarize(["TopicGroup"], "Sentimant");
  // @ts-expect-error
  table.filter({ Coment: "x" });
  // @ts-expect-error
  table.sortBy("Coment");
  // @ts-expect-error a comment has no fields
  table.column("Comment.Text");
}
