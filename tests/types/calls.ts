/** Calls: their options, their findings, and what shows them. It is only compiled. */

import {
  type ColumnName,
  type CountsOptions,
  type FindingKind,
  FindingsClient,
  type FindingsError,
  type FindingsOptions,
  type FindingsTable,
  type FindingText,
  getFindings,
  getPartition,
  getPartitionCounts,
  type InspectionFinding,
  type LiveTable,
  type Options,
  type Partition,
  type PartitionOptions,
  type PartitionStream,
  type StreamOptions,
  type TableOptions,
} from "inspection-findings";
import { type FindingsStore, openStore } from "inspection-findings/keep";
import * as manual from "inspection-findings/manual";
import { useFindings, useLiveTable } from "inspection-findings/react";
import type { ReceivedRequest } from "inspection-findings/testing";
import { createFindingsView, createTableView, type FindingsView, type TableView } from "inspection-findings/view";
import { hasType, type OurFinding, type Same, type Sentiment } from "./same.js";

/** A report says what has happened: it does not change, and each state has its members. */
export const reports: Options = {
  onProgress: (progress) => {
    // @ts-expect-error
    progress.bytes = 0;
  },
  onPartition: (change) => {
    // @ts-expect-error
    change.attempt = 1;
    if (change.state === "retrying") console.log(change.delay.toFixed(), change.error.code);
    else if (change.state === "failed") console.log(change.error.code, change.delay satisfies undefined);
    else if (change.state === "received") console.log(change.error satisfies undefined);
    else change.state satisfies "requested";
  },
};

/** The options of each kind of call, which a client takes as well. */
export async function optionsOfCalls(
  client: FindingsClient,
  ofCounts: CountsOptions,
  ofPartition: PartitionOptions,
  ofFindings: FindingsOptions,
  ofStream: StreamOptions,
): Promise<void> {
  for (const each of [ofCounts, ofPartition, ofFindings, ofStream]) new FindingsClient(each satisfies Options);
  await client.getPartitionCounts(42, ofCounts);
  await client.loadPartition(42, "topics", 0, ofPartition);
  await client.loadTable(42, "topics", ofFindings);
  client.watchTable(42, "topics", ofFindings);
  client.streamTables(42, "topics", ofStream);
  await getFindings(42n, "topics", { signal: null });
}

/** Options that do not apply to a call. */
export function useOptionsOfOtherCalls(
  client: FindingsClient,
  error: FindingsError,
  store: FindingsStore,
  { table, maybeStore }: { table?: FindingsTable; maybeStore?: FindingsStore },
): void {
  // @ts-expect-error a stream cannot collect
  client.streamPartitions(42, "topics", { failurePolicy: "collect" });
  // @ts-expect-error only a stream has an order
  client.getFindings(42, "topics", { order: "index" });
  // @ts-expect-error
  client.watchTable(42, "topics", { order: "index" });
  // @ts-expect-error
  error.resume?.({ order: "index" });
  // @ts-expect-error the counts make no progress
  getPartitionCounts(42, { onProgress: () => {} });
  // @ts-expect-error a partition is one request
  client.getPartition(42, "topics", 0, { concurrency: 2 });
  // @ts-expect-error a header has a value
  getFindings(42, "topics", { headers: { Authorization: undefined } });
  // @ts-expect-error there are two kinds
  getFindings(42, "emotion");
  // @ts-expect-error a key is an integer, or its digits
  getFindings([42], "topics");
  // @ts-expect-error an option that does not exist
  getFindings(42, "topics", { retry: 3 });
  // @ts-expect-error a wrong total is an error, or nothing
  getFindings(42, "topics", { completeness: "warn" });
  // @ts-expect-error a worker's script is for init
  getFindings(42, "topics", { worker: "worker.js" });
  // @ts-expect-error one partition has an index
  getPartition(42, "topics");
  // @ts-expect-error a signal is one of the options
  client.loadTable(42, "topics", AbortSignal.timeout(1));
  // @ts-expect-error
  client.loadTable(42, "topics", new Map([["retries", 1]]));
  // @ts-expect-error a URL is one of the options
  new FindingsClient(new URL("https://service.example/cxi/"));
  // @ts-expect-error
  new FindingsClient(Promise.resolve({ retries: 1 }));
  // @ts-expect-error the file is a member
  manual.init("https://host.example/x.wasm");
  // @ts-expect-error there is no table that has grown
  client.loadTable(42, "topics", { growth: "append" });
  // @ts-expect-error there may be no table
  client.watchTable(42, "topics", { from: table, growth: "append" });
  client.watchTable(42, "topics", { from: table ?? null, growth: "append" });
  // @ts-expect-error there is neither a store nor a table that has grown
  useLiveTable(client, 42, "topics", { growth: "append" });
  useLiveTable(client, 42, "topics", { growth: "append", store });
  useFindings(client, 42, "topics", { growth: "append", from: null });
  // @ts-expect-error there may be no store
  useFindings(client, 42, "topics", { growth: "append", store: maybeStore });
  useFindings(client, 42, "topics", { failurePolicy: "collect", store: maybeStore });
  useLiveTable(client, 42, "topics", { from: table });
  // @ts-expect-error a store has the earlier table
  useLiveTable(client, 42, "topics", { from: table, store });
  // @ts-expect-error
  useFindings(client, 42, "topics", { from: null, growth: "append", store });
  store.load(client, 42, "topics", { growth: "append" });
}

/** What a store is opened with. */
export function stores(user: { id: string }): FindingsStore[] {
  // @ts-expect-error an owner is one of the options
  openStore(user.id);
  // @ts-expect-error
  openStore({ user: user.id });
  // @ts-expect-error
  openStore(Promise.resolve({ owner: user.id }));
  // @ts-expect-error
  openStore({ owner: null });
  // @ts-expect-error a user who is not known yet is nobody's owner
  openStore({ owner: undefined });
  return [openStore(), openStore({ owner: user.id }), openStore({ onError: console.warn })];
}

/** The findings of a call have the fields that the call names. */
export async function namedFields(client: FindingsClient, ours: FindingsClient<OurFinding>): Promise<void> {
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
}

/** Names that are not literals, or stand beside a type argument, may leave out any field. */
export async function anyNames(client: FindingsClient, names: string[], known: ColumnName<InspectionFinding>[]) {
  const [first] = await client.getFindings(1, "topics", { columns: names });
  hasType<string | undefined>()(first?.Topic?.Text, true);
  // @ts-expect-error it may be left out
  first?.Topic.Text;
  const [one] = await getPartition(1, "topics", 0, { columns: [`${names[0]}`, "Comment"] });
  // @ts-expect-error
  one?.Comment.length;
  // @ts-expect-error
  client.watchTable(1, "topics", { columns: known }).getSnapshot().table.at(0)?.Topic.Text;
  const [named] = await getFindings<OurFinding>(1, "topics", { columns: ["Language", "Topic.Text"] });
  hasType<string | undefined>()(named?.Language, true);
  // @ts-expect-error
  named?.Topic.Text;
  const [partition] = await getPartition<OurFinding>(1, "topics", 0, { columns: ["Language"] });
  hasType<string | undefined>()(partition?.Language, true);
  // @ts-expect-error
  partition?.Comment.length;
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

/** Sentiment findings have a sentiment. */
export async function useKinds(
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
  sentiments.push(...(useLiveTable(client, 1, "sentiment").table?.column("Sentiment") ?? []));
  sentiments.push(...(useFindings(client, 1, "sentiment").findings ?? []).map(({ Sentiment }) => Sentiment));
  const wider: [InspectionFinding[], FindingsTable] = [
    await client.getFindings(1, "sentiment"),
    await client.loadTable(1, "sentiment"),
  ];
  // @ts-expect-error topic findings have none
  const [topics]: Sentiment[] = (await client.getFindings(1, "topics")).map(({ Sentiment }) => Sentiment);
  // @ts-expect-error they may be topic findings
  const [any]: Sentiment[] = (await client.loadTable(1, kind)).column("Sentiment");
  console.log(wider, topics, any);
}

/** Types of the web platform are those of the program's library. */
export const platform: [
  Same<ReturnType<PartitionStream["toReadableStream"]>, ReadableStream<Partition>>,
  Same<Options["signal"], AbortSignal | null | undefined>,
  Same<NonNullable<Options["fetch"]>, (href: string, init: RequestInit) => Promise<Response>>,
  Same<ReceivedRequest["headers"], Headers>,
] = [true, true, true, true];

/** A snapshot does not change, and each comparison narrows it to the states that remain. */
export async function snapshots(client: FindingsClient<OurFinding>): Promise<void> {
  using live: LiveTable<OurFinding> = client.watchTable(42, "sentiment", { failurePolicy: "collect" });
  const { progress } = live.getSnapshot();
  // @ts-expect-error the counts may be unknown
  progress.partitions satisfies number;
  if (progress.partitions !== undefined) progress.findings satisfies number | null;
  // @ts-expect-error
  live.getSnapshot().state = "loading";
  for await (const snapshot of live) {
    if (snapshot.state === "complete") snapshot.error satisfies undefined;
    else if (snapshot.state === "failed") {
      // @ts-expect-error the error may be any value
      snapshot.error satisfies Error;
    } else if (snapshot.state !== "loading" && snapshot.state !== "partial" && snapshot.state !== "aborted") {
      snapshot satisfies never;
    }
  }
  hasType<FindingsTable<OurFinding>>()(await live.done, true);
}

/** Each comparison narrows the state of a hook to those that remain. */
export function useStates(client: FindingsClient, ours: FindingsClient<OurFinding>, options: TableOptions): undefined {
  const state = useFindings(client, 42, "topics", { ...options, columns: ["Comment"] });
  const shown = useLiveTable<OurFinding>(ours, 42, "topics", options);
  if (state.state === "failed" || shown.state === "loading") return;
  if (state.state === "aborted" || shown.state === "complete") return;
  if (state.state === "loading") return;
  const comments: string[] = state.findings.map(({ Comment }) => Comment);
  console.log(comments, shown.table.at(0)?.Language, shown.error);
}

/** A view is for the findings of its type: it shows no call whose findings lack fields. */
export function views(client: FindingsClient, ours: FindingsClient<OurFinding>): void {
  const view: TableView = createTableView();
  view.show(client, 42, "sentiment", { failurePolicy: "collect" });
  view.show(ours, null, "topics");
  // @ts-expect-error only one field arrives
  view.show(client, 42, "topics", { columns: ["Comment"] });
  const comments = createTableView<{ Comment: string }>();
  comments.show(client, 42, "topics", { columns: ["Comment"] });
  const texts: string[] | undefined = comments.getSnapshot().table?.column("Comment");
  const objects: FindingsView<OurFinding> = createFindingsView();
  objects.show(ours, "42", "topics");
  // @ts-expect-error the findings of this client have no language
  objects.show(client, 42, "topics");
  console.log(texts, objects.getSnapshot().findings?.[0]?.Language, objects.isShowing(ours, 42, "topics"));
}
