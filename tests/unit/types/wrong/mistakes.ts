/** Mistakes in calls, errors and tables: each statement is one, which the compiler finds. */

import {
  type Condition,
  type Count,
  FindingsClient,
  FindingsError,
  type FindingsErrorCode,
  type FindingsOptions,
  FindingsTable,
  getFindings,
  getPartition,
  getPartitionCounts,
  type InspectionFinding,
  messageOf,
  type Options,
} from "inspection-findings";
import { csvOf, xlsxOf } from "inspection-findings/export";
import { openStore } from "inspection-findings/keep";
import { init } from "inspection-findings/manual";
import * as objects from "inspection-findings/objects";
import { useLiveTable as liveTableOf, useFindings as stateOf } from "inspection-findings/react";
import { crosstab } from "inspection-findings/survey";
import { meanOf } from "inspection-findings/survey/means";
import { respondentsOf } from "inspection-findings/survey/respondents";
import type { FindingsView, TableView } from "inspection-findings/view";
import {
  change,
  client,
  error,
  kind,
  known,
  live,
  maybe,
  names,
  type OurFinding,
  ours,
  progress,
  type Sentiment,
  store,
  table,
} from "../given.js";

// A report does not change.
progress.bytes = 0;
change.attempt = 1;

// Each option belongs to calls, and has its values.
client.streamPartitions(42, "topics", { failurePolicy: "collect" });
client.getFindings(42, "topics", { order: "index" });
error.resume?.({ order: "index" });
getPartitionCounts(42, { onProgress: () => {} });
client.getPartition(42, "topics", 0, { concurrency: 2 });
getFindings(42, "topics", { headers: { Authorization: undefined } });
getFindings(42, "topics", { retry: 3 });
getFindings(42, "topics", { completeness: "warn" });
getFindings(42, "topics", { worker: "worker.js" });
new FindingsClient({ columns: ["Sentiment", "Topic"] });
({ columns: names }) satisfies Options;
({ columns: names }) satisfies FindingsOptions;

// A call names an inspection, one of two kinds and, for one partition, an index.
getFindings(42, "emotion");
getFindings([42], "topics");
getPartition(42, "topics");

// An argument in place of options is none.
client.loadTable(42, "topics", AbortSignal.timeout(1));
client.loadTable(42, "topics", new Map([["retries", 1]]));
new FindingsClient(new URL("https://service.example/cxi/"));
new FindingsClient(Promise.resolve({ retries: 1 }));
init("https://host.example/x.wasm");
openStore("user");
openStore(Promise.resolve({ owner: "user" }));
openStore({ owner: null });
openStore({ owner: undefined });

// A store has the earlier table itself.
liveTableOf(client, 42, "topics", { from: maybe.table, store });
stateOf(client, 42, "topics", { from: null, store });

// Findings have the fields that are named, and only sentiment findings a sentiment.
(await client.getFindings(1, "topics", { columns: ["Sentiment"] }))[0]?.Comment;
(await client.getFindings(1, "topics", { columns: names }))[0]?.Topic.Text;
(await getPartition(1, "topics", 0, { columns: [`${names[0]}`, "Comment"] }))[0]?.Comment.length;
client.watchTable(1, "topics", { columns: known }).getSnapshot().table.at(0)?.Topic.Text;
(await getFindings<OurFinding>(1, "topics", { columns: ["Language", "Topic.Text"] }))[0]?.Topic.Text;
(await getPartition<OurFinding>(1, "topics", 0, { columns: ["Language"] }))[0]?.Comment.length;
(await client.loadTable(1, "topics")).column("Sentiment") satisfies Sentiment[];
(await client.loadTable(1, kind)).column("Sentiment") satisfies Sentiment[];
table.at(0)?.Coment;
table.select("TopicGroup", "Topic").at(0)?.Comment;
table.select(names).at(0)?.Topic.Text;

// A snapshot does not change, and may lack counts; its error may be any value.
declare const failed: Extract<ReturnType<typeof live.getSnapshot>, { state: "failed" }>;
live.getSnapshot().progress.partitions satisfies number;
live.getSnapshot().state = "loading";
failed.error satisfies Error;

// A view shows calls whose findings have its fields.
declare const view: TableView;
declare const objectsView: FindingsView<OurFinding>;
view.show(client, 42, "topics", { columns: ["Comment"] });
objectsView.show(client, 42, "topics");

// An error has the members of its code.
declare const partial: Extract<FindingsError, { code: "partial" }>;
error.code === "offline";
error.attempts satisfies number;
partial.received satisfies number;
partial.findings.length;
partial.table.length;
partial.resume() satisfies Promise<InspectionFinding[]>;
messageOf(error).length;

// The constructor asks for what an error of the code has.
declare const code: FindingsErrorCode;
new FindingsError("http", "no");
new FindingsError("http", "no", { status: 500 });
new FindingsError("network", "no", { attempts: undefined });
new FindingsError("incomplete", "no", { expected: 1 });
new FindingsError("partial", "no", { failures: [] });
new objects.FindingsError("http", "no");
new FindingsError(code, "any");

// The entry without tables has no table in a call, an option or an error.
declare const withoutTables: { client: objects.FindingsClient; error: objects.FindingsError };
withoutTables.client.loadTable(42, "topics");
withoutTables.client.watchTable(42, "topics");
({ from: undefined }) satisfies objects.FindingsOptions;
(await withoutTables.client.getFindings(42, "topics", { columns: ["Comment", "Topic.Text"] }))[0]?.Sentiment;
withoutTables.error.table;
withoutTables.error.code === "bytes";

// Groups do not change, and their names, aggregates and distinct values are those of columns.
declare const group: Count;
group.count = 1;
group.key[0] = "x";
table.countBy("TopicGroup")[0]?.distinct;
table.summarize("TopicGroup", { mean: "Sentiment" })[0]?.max;
table.countBy(["Comment"], "TopicGroup");
table.countBy("TopicGroup", { distnct: "RespondentKey" });
table.countBy("Topic.Text", { distinct: ["Sentiment", 1] });
table.summarize("TopicGroup", { key: { min: "Sentiment" } });
table.summarize("TopicGroup", { worst: "Sentiment" });
table.summarize("TopicGroup", "Comment");
table.summarize("TopicGroup", { mood: { mean: "Comment" } });
table.numbers("Comment");

// A condition has values that the column may have, and a range a bound.
declare const generic: <Finding extends InspectionFinding>() => FindingsTable<Finding>;
({ min: undefined }) satisfies Condition<number>;
({ min: maybe.number, max: maybe.number }) satisfies Condition<number>;
generic().filter({ Sentiment: "bad" });
ours.filter({ Language: 1 });
table.filter({ Sentiment: { min: undefined } });
table.filter({ Other: { max: undefined } });
table.filter({ Other: undefined });
table.filter({ Sentiment: "x" });
table.filter({ Sentiment: undefined });
table.filter({ Sentiment: [1, "x"] });
table.filter({ Sentiment: { not: "x" } });
table.filter({ Sentiment: { contains: "x" } });
table.filter({ Comment: { min: 1 } });
table.filter({ NoTopic: 1 });
table.filter(new Map([["Sentiment", -1]]));
table.filter(Promise.resolve({ Sentiment: -1 }));

// A literal is the name of a column: neither a misspelt one, nor one that only the other kind has.
const topics = await client.loadTable(42, "topics");
const mood = { bad: { Sentiment: { max: -1 } } };
const people = await FindingsTable.from([{ RespondentKey: 1, Segment: "young" }]);
table.column("Coment");
table.countBy("TopicGruop");
table.countBy(["Comment", "TopicGruop"]);
table.countBy("TopicGroup", { distinct: "RespondentID" });
table.countBy(["TopicGroup"], { distinct: ["RespondentKey", "RespondentID"] });
table.numbers("Sentimnt");
table.filter({ Coment: { contains: "late" } });
table.filter([{ Sentiment: 1 }, { Coment: "late" }]);
table.summarize("TopicGruop", "Sentiment");
table.summarize("TopicGroup", "Sentimnt");
table.summarize("TopicGroup", { mean: "Sentimnt" });
table.summarize(["TopicGroup"], { people: { distinct: "RespondentID" } });
table.sortBy("Coment");
table.sortBy(["TopicGroup", "Coment"], "desc");
table.select("Coment");
table.with("Segment", { by: "RespondentID", values: { r1: "new" } });
ours.countBy("Source.Ani");
topics.column("Sentiment");
topics.numbers("Sentiment");
topics.countBy("TopicGroup", "Sentiment");
topics.countBy("TopicGroup", { distinct: "Sentiment" });
topics.filter({ Sentiment: 1 });
topics.summarize("TopicGroup", "Sentiment");
topics.summarize("TopicGroup", { mean: "Sentiment" });
topics.sortBy("Sentiment");
topics.select("Sentiment");
client.watchTable(42, "topics").getSnapshot().table.countBy("Sentiment");
crosstab(table, "TopicGruop", "Sentiment");
crosstab(table, ["TopicGroup", "Coment"], "Sentiment");
crosstab(table, { late: { Coment: "late" } }, "TopicGroup");
crosstab(table, "TopicGroup", { all: {}, by: "Coment" });
crosstab(table, "TopicGroup", "Sentiment", { distinct: "RespondentID" });
crosstab(table, "TopicGroup", "Segmnt", { distinct: "RespondentKey", base: people });
crosstab(table, "Segment", "TopicGroup", { distinct: "RespondentKey", base: people });
crosstab(topics, { bad: { Sentiment: { max: -1 } } }, "TopicGroup");
crosstab(topics, "TopicGroup", mood, { distinct: "RespondentKey" });
meanOf(table, "Sentiment", { per: "RespondentID" });
meanOf(table, "Sentiment", { per: "RespondentKey", by: ["TopicGroup", "Coment"] });
meanOf(topics, "Sentiment", { per: "RespondentKey" });
respondentsOf(table, { per: "RespondentID", by: "TopicGroup" });
respondentsOf(topics, { per: "RespondentId", by: "Sentiment" });
respondentsOf(topics, { per: "RespondentId", by: mood });

// Findings are a list of objects, whose values JSON has.
FindingsTable.from({ Findings: [{ Comment: "x" }], errors: null });
FindingsTable.from(Promise.resolve([{ Comment: "x" }]));
(await FindingsTable.from([{ tags: new Set(["x"]) }])).at(0)?.tags.has("x");

// A list of directions has one for each column.
table.sortBy(["Comment", "Sentiment"], ["desc"]);
table.sortBy("Comment", ["desc", "asc"]);

// An added column has strings, numbers or booleans, and keys of the type of its column.
const bySegment = table.with("Segment", { by: "RespondentId", values: new Map([["r1", "new"]]) });
bySegment.filter({ Segment: 1 });
table.with("Segment", { by: "RespondentId", values: new Map([["r1", {}]]) });
table.with("Comment", { by: "RespondentId", values: new Map([["r1", "new"]]) });
ours.with("Comment", { by: "RespondentId", values: { r1: "new" } });
ours.with("Language", { by: "RespondentId", values: { r1: "new" } });
generic().with("Comment", { by: "RespondentId", values: { r1: "new" } });
table.with("Segment", { by: "RespondentId", values: ["new"] });
table.with("Segment", { by: "RespondentId", values: new Set(["r1"]) });
table.with("Segment", { by: "RespondentId", values: Promise.resolve({ r1: "new" }) });
table.with("Segment", { by: "RespondentKey", values: { 1: "new" } });
table.with("Segment", { by: "RespondentKey", values: new Map([["1", "new"]]) });
table.with("Segment", { by: "RespondentId", keys: [1], values: ["new"] });
table.with("Segment", { by: "NoTopic", values: { true: "new" } });
FindingsTable.concat([table], { name: "Wave", values: [{}] });
FindingsTable.concat([table], { values: ["spring"] });
FindingsTable.concat(table);

// The keys of an object are strings, and a cross tabulation has its own columns.
const byMood = crosstab(table, "TopicGroup", "Sentiment");
crosstab(table, "TopicGroup", "Sentiment", { base: { "-2": 10 } });
crosstab(generic(), "TopicGroup", "Sentiment", { base: { "-2": 10 } });
crosstab(ours, { german: { Language: 1 } }, "Sentiment");
csvOf(byMood, { columns: ["TopicGroup"] });
xlsxOf(byMood, { columns: ["TopicGroup"] });
