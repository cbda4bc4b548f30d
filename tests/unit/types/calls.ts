/** Calls: their options, their findings, and what shows them. It is only compiled. */

import {
  type CountsOptions,
  FindingsClient,
  type FindingsOptions,
  type FindingsTable,
  type FindingText,
  getFindings,
  getPartition,
  type InspectionFinding,
  type LiveTable,
  type Options,
  type Partition,
  type PartitionOptions,
  type PartitionStream,
  type StreamOptions,
  type TableOptions,
} from "inspection-findings";
import { useFindings, useLiveTable } from "inspection-findings/react";
import type { ReceivedRequest } from "inspection-findings/testing";
import { createFindingsView, createTableView, type FindingsView, type TableView } from "inspection-findings/view";
import {
  change,
  client,
  hasType,
  maybe,
  type OurFinding,
  ourClient,
  type Same,
  type Sentiment,
  store,
} from "./given.js";

/** Each state of a partition has its members. */
if (change.state === "retrying") console.log(change.delay.toFixed(), change.error.code);
else if (change.state === "failed") console.log(change.error.code, change.delay satisfies undefined);
else if (change.state === "received") change.error satisfies undefined;
else change.state satisfies "requested";

/** A client takes the options of each kind of call, and a call those of its kind. */
export async function optionsOfCalls(
  counts: CountsOptions,
  ofOne: PartitionOptions,
  all: FindingsOptions,
  stream: StreamOptions,
) {
  await client.getPartitionCounts(42, counts satisfies Options);
  await client.loadPartition(42, "topics", 0, ofOne satisfies Options);
  await client.loadTable(42n, "topics", all satisfies Options);
  client.watchTable("42", "topics", { ...all, from: maybe.table ?? null, signal: null });
  client.streamTables(42, "topics", stream satisfies Options);
}

/** The findings of a call have the fields that the call names; names that are not literals, or stand beside a type argument, may leave out any. */
export async function namedFields(names: string[]): Promise<void> {
  const columns = ["TopicGroup", "Topic.Text", "Extract", "Sentiment"] as const;
  const [first] = await client.getFindings(1, "topics", { columns });
  hasType<string | null | undefined>()(first?.TopicGroup, true);
  hasType<string | undefined>()(first?.Topic.Text, true);
  hasType<FindingText | undefined>()(first?.Extract, true);
  hasType<Sentiment | undefined>()(first?.Sentiment, true);
  using table = await client.loadTable(1, "topics", { columns: ["Sentiment", "Topic.Text", "Other"] });
  const [group] = table.countBy("Topic.Text", "TopicGroup");
  hasType<readonly [string | undefined, unknown] | undefined>()(group?.key, true);
  for await (const { findings } of client.streamPartitions(1, "topics", { columns: ["Comment"] })) {
    hasType<string | undefined>()(findings[0]?.Comment, true);
  }
  hasType<Record<never, never>[]>()(await client.getFindings(1, "topics", { columns: [] }), true);
  const [some] = await ourClient.getFindings(1, "topics", { columns: ["Language", "Source.Page.Number", "a\\.b"] });
  hasType<string | undefined>()(some?.Language, true);
  hasType<number | undefined>()(some?.Source.Page?.Number, true);
  hasType<boolean | undefined>()(some?.["a.b"], true);
  const [any] = await client.getFindings(1, "topics", { columns: names });
  hasType<string | undefined>()(any?.Topic?.Text, true);
  const [named] = await getFindings<OurFinding>(1, "topics", { columns: ["Language", "Topic.Text"] });
  hasType<string | undefined>()(named?.Language, true);
  const [one] = await getPartition<OurFinding>(1, "topics", 0, { columns: ["Language"] });
  hasType<string | undefined>()(one?.Language, true);
  hasType<OurFinding[]>()(await getFindings<OurFinding>(1, "topics", { retries: 1 }), true);
  hasType<OurFinding[]>()(await new FindingsClient<OurFinding>().getFindings(1, "topics"), true);
}

/** Sentiment findings have a sentiment. */
export async function useSentiments(): Promise<[Sentiment[], InspectionFinding[], FindingsTable]> {
  const sentiments: Sentiment[] = (await getFindings(1, "sentiment")).map(({ Sentiment }) => Sentiment);
  sentiments.push(...(await client.getFindings(1, "sentiment")).map(({ Sentiment }) => Sentiment));
  sentiments.push(...(await getPartition(1, "sentiment", 0)).map(({ Sentiment }) => Sentiment));
  sentiments.push(...(await client.loadTable(1, "sentiment")).column("Sentiment"));
  sentiments.push(...(await ourClient.loadPartition(1, "sentiment", 0)).column("Sentiment"));
  sentiments.push(...(await store.load(client, 1, "sentiment")).getSnapshot().table.column("Sentiment"));
  for await (const { table } of ourClient.streamTables(1, "sentiment")) sentiments.push(...table.column("Sentiment"));
  sentiments.push(...(useLiveTable(client, 1, "sentiment").table?.column("Sentiment") ?? []));
  sentiments.push(...(useFindings(client, 1, "sentiment").findings ?? []).map(({ Sentiment }) => Sentiment));
  return [sentiments, await client.getFindings(1, "sentiment"), await client.loadTable(1, "sentiment")];
}

/** Types of the web platform are those of the program's library. */
export const platform: [
  Same<ReturnType<PartitionStream["toReadableStream"]>, ReadableStream<Partition>>,
  Same<Options["signal"], AbortSignal | null | undefined>,
  Same<NonNullable<Options["fetch"]>, (href: string, init: RequestInit) => Promise<Response>>,
  Same<ReceivedRequest["headers"], Headers>,
] = [true, true, true, true];

/** Each comparison narrows a snapshot to the states that remain. */
export async function snapshots(): Promise<void> {
  using live: LiveTable<OurFinding> = ourClient.watchTable(42, "sentiment", { failurePolicy: "collect" });
  const { progress } = live.getSnapshot();
  if (progress.partitions !== undefined) progress.findings satisfies number | null;
  for await (const snapshot of live) {
    if (snapshot.state === "complete") snapshot.error satisfies undefined;
    else if (snapshot.state === "failed") hasType<unknown>()(snapshot.error, true);
    else if (snapshot.state !== "loading" && snapshot.state !== "partial" && snapshot.state !== "aborted") {
      snapshot satisfies never;
    }
  }
  hasType<FindingsTable<OurFinding>>()(await live.done, true);
}

/** Each comparison narrows the state of a hook to those that remain. */
export function useStates(options: TableOptions): undefined {
  const state = useFindings(client, 42, "topics", { ...options, columns: ["Comment"] });
  const shown = useLiveTable<OurFinding>(ourClient, 42, "topics", options);
  if (state.state === "failed" || shown.state === "loading") return;
  if (state.state === "aborted" || shown.state === "complete") return;
  if (state.state === "loading") return;
  hasType<string | undefined>()(state.findings[0]?.Comment, true);
  console.log(shown.table.at(0)?.Language, shown.error);
}

/** A view shows the findings of its type. */
const comments: TableView<{ Comment: string }> = createTableView();
comments.show(client, 42, "topics", { columns: ["Comment"] });
hasType<string[] | undefined>()(comments.getSnapshot().table?.column("Comment"), true);
const objects: FindingsView<OurFinding> = createFindingsView();
objects.show(ourClient, "42", "topics");
hasType<string | undefined>()(objects.getSnapshot().findings?.[0]?.Language, true);
