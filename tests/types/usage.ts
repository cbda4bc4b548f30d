/** The public interface beside tables and errors: each public type once, and what each call refuses. It is only compiled. */

import {
  type CountsOptions,
  type FindingKind,
  FindingsClient,
  type FindingsError,
  type FindingsOptions,
  type FindingsTable,
  getFindings,
  getPartition,
  getPartitionCounts,
  type HeadersContext,
  type InspectionFinding,
  type InspectionKey,
  type KindCounts,
  type LiveProgress,
  type LiveSnapshot,
  type LiveTable,
  type Options,
  type Partition,
  type PartitionChange,
  type PartitionCounts,
  type PartitionOptions,
  type PartitionStream,
  type Progress,
  type StreamOptions,
  type TableOptions,
  type TableStream,
} from "inspection-findings";
import { type ArrowOptions, toArrowIPC } from "inspection-findings/arrow";
import * as inline from "inspection-findings/inline";
import { type FindingsStore, openStore } from "inspection-findings/keep";
import * as manual from "inspection-findings/manual";
import { useFindings, useLiveTable } from "inspection-findings/react";
import {
  createFakeService,
  type FakeService,
  type FakeServiceOptions,
  type Faults,
  type ReceivedRequest,
  type Scenario,
  type ScenarioName,
} from "inspection-findings/testing";

import { createFindingsView, createTableView, type FindingsView, type TableView } from "inspection-findings/view";

interface OurFinding extends InspectionFinding {
  Language: string;
}

const counts: KindCounts = { partitions: 0, findings: null };
const options: Options = {
  baseUrl: new URL("https://service.example/cxi/"),
  headers: async ({ attempt, status, url }: HeadersContext) => ({ "x-about": `${attempt} ${status} ${url}` }),
  credentials: "include",
  cache: "no-store",
  fetch: (input, init) => fetch(input, init),
  signal: AbortSignal.timeout(60_000),
  completeness: "off",
  failurePolicy: "collect",
  order: "completion",
  onPartition: ({ error }) => console.log(error?.code === "http" && error.status.toFixed()),
  readCounts: (response): PartitionCounts => ({
    sentiment: Array.isArray(response) ? counts : { ...counts },
    topics: counts,
  }),
};

/** The values that a test passes in place of those of a call. */
export const mocks: [Progress, PartitionChange] = [
  { partitionsDone: 0, partitions: 1, findingsDone: 0, findings: null, bytes: 0, retries: 0 },
  { index: 0, state: "requested", attempt: 1, findings: 0, bytes: 0, error: undefined, delay: undefined },
];

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
  await getFindings(42n, "topics", options);
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
  // @ts-expect-error only a stream has an order
  client.watchTable(42, "topics", { order: "index" });
  // @ts-expect-error only a stream has an order
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
  // @ts-expect-error one partition has an index
  getPartition(42, "topics");
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
  // @ts-expect-error a signal is one of the options
  client.loadTable(42, "topics", AbortSignal.timeout(1));
  // @ts-expect-error
  client.loadTable(42, "topics", new Map([["retries", 1]]));
  // @ts-expect-error a URL is one of the options
  new FindingsClient(new URL("https://service.example/cxi/"));
  // @ts-expect-error
  new FindingsClient(Promise.resolve({ retries: 1 }));
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

type Same<One, Other> =
  (<Any>() => Any extends One ? 1 : 2) extends <Any>() => Any extends Other ? 1 : 2 ? true : false;

/** Types of the web platform are those of the program's library. */
export const platform: [
  Same<ReturnType<PartitionStream["toReadableStream"]>, ReadableStream<Partition>>,
  Same<Options["signal"], AbortSignal | null | undefined>,
  Same<NonNullable<Options["fetch"]>, (href: string, init: RequestInit) => Promise<Response>>,
  Same<ReceivedRequest["headers"], Headers>,
] = [true, true, true, true];

export async function streams(client: FindingsClient, ours: FindingsClient<OurFinding>): Promise<void> {
  await using stream: PartitionStream = client.streamPartitions(42, "topics", { order: "index" });
  const tables: TableStream<OurFinding> = ours.streamTables(42, "topics", { order: "completion" });
  const disposables: AsyncDisposable[] = [stream, tables];
  const readable: ReadableStream<{ index: number; table: FindingsTable }> = tables.toReadableStream();
  console.log(disposables, readable);
}

export function arrow(table: FindingsTable, known: FindingsTable<OurFinding>): void {
  const options: ArrowOptions = { strings: "utf8" };
  const stream: Uint8Array<ArrayBuffer> = toArrowIPC(table, options);
  structuredClone(toArrowIPC(known, { schema: stream }), { transfer: [stream.buffer] });
}

export function fields(finding: InspectionFinding): void {
  const keys: number[] = [finding.VariableKey, finding.RespondentKey, finding.StringKey];
  const groups: (string | null)[] = [finding.TopicGroup, finding.ExpressionGroup];
  const generic: boolean | undefined = finding.NoTopic ?? finding.NoExpression;
  const texts: string[] = [finding.RespondentId, finding.Comment];
  const topic: string | undefined = finding.Topic.Text ?? finding.Expression.Text ?? finding.Extract.Text;
  console.log(keys, groups, generic, texts, topic, finding.Topic.Language satisfies unknown);
}

/** All codes have a case, and each member may be missing before the code is known. */
export function failure(error: FindingsError): string {
  const about: [FindingKind | undefined, InspectionKey | undefined] = [error.kind, error.inspectionKey];
  const { partitionIndex, status, attempts, retryAfter, expected, received, url, messages } = error;
  const numbers: (number | undefined)[] = [partitionIndex, status, attempts, retryAfter, expected, received];
  console.log(about, numbers, url?.length, messages?.join());
  switch (error.code) {
    case "network":
    case "timeout":
    case "http":
    case "unauthorized":
    case "service":
    case "decode":
    case "too-large":
    case "incomplete":
    case "partial":
    case "bytes":
    case "load":
    case "memory":
      return error.message;
    default:
      return error satisfies never;
  }
}

export async function whileItLoads(client: FindingsClient<OurFinding>): Promise<void> {
  using live: LiveTable<OurFinding> = client.watchTable(42, "sentiment", { failurePolicy: "collect" });
  const store: { subscribe(onChange: () => void): () => void; getSnapshot(): LiveSnapshot<OurFinding> } = live;
  const { progress }: { progress: LiveProgress } = live.getSnapshot();
  // @ts-expect-error the counts may be unknown
  progress.partitions satisfies number;
  if (progress.partitions !== undefined) progress.findings satisfies number | null;
  const first: OurFinding | undefined = store.getSnapshot().table.at(0);
  using table: FindingsTable<OurFinding> = await live.done;
  console.log(first, table.length);
  // @ts-expect-error a snapshot does not change
  live.getSnapshot().state = "loading";
  for await (const snapshot of live) {
    if (snapshot.state === "complete") snapshot.error satisfies undefined;
    // @ts-expect-error the error may be any value
    else if (snapshot.state === "failed") snapshot.error satisfies Error;
  }
}

export async function inUnusualHosts(bytes: Uint8Array<ArrayBuffer>, response: Promise<Response>): Promise<void> {
  const worker: manual.InitOptions["worker"] = () => new Worker("worker.js");
  for (const module of [undefined, new URL("https://host.example/x.wasm"), bytes, response]) {
    await manual.init({ module, worker });
  }
  await manual.init({ worker: new URL("https://host.example/worker.js") });
  // @ts-expect-error the file is a member
  await manual.init("https://host.example/x.wasm");
  // @ts-expect-error a wrong total is an error, or nothing
  await getFindings(42, "topics", { completeness: "warn" });
  // @ts-expect-error a worker's script is for init
  await getFindings(42, "topics", { worker: "worker.js" });
  const same: (typeof FindingsClient)[] = [manual.FindingsClient, inline.FindingsClient];
  console.log(same);
}

export function fakeService(names: ScenarioName[]): void {
  const faults: Faults = { latency: 5, jitter: 5, errorRate: 0.1, rateLimit: 10, slice: 1024, once: true };
  const scenario: Scenario = {
    latency: ({ random }) => 10 * random(),
    respond: ({ kind, partitionIndex, count, headers, correctResponse }) =>
      kind === "topics" && partitionIndex === 1 && count === 1 && !headers.has("x")
        ? Response.error()
        : correctResponse(),
  };
  const given: FakeServiceOptions = { seed: 1, sentiment: { findings: 10, partitions: 2 }, topics: [[]], faults };
  const service: FakeService = createFakeService({ ...given, scenario, baseUrl: new URL("http://a") });
  for (const behaviour of [...names, scenario, faults]) service.use(behaviour);
  const standard: typeof fetch = service.fetch;
  const findings: InspectionFinding[] = service.findings("topics");
  const [first]: readonly ReceivedRequest[] = service.requests;
  const status: number | "failed" | undefined = first?.status;
  console.log(findings, status, standard);
}

/** Each comparison narrows a state and a snapshot to those that remain. */
export function useNarrowed(client: FindingsClient, live: LiveTable, options: TableOptions): undefined {
  const state = useFindings(client, 42, "topics", { ...options, columns: ["Comment"] });
  const shown = useLiveTable(client, 42, "topics", options);
  const snapshot = live.getSnapshot();
  if (snapshot.state === "loading" || snapshot.state === "complete" || snapshot.state === "partial") return;
  if (snapshot.state === "failed") return;
  if (snapshot.state !== "aborted") return snapshot satisfies never;
  if (state.state === "failed" || shown.state === "loading") return;
  if (state.state === "aborted" || shown.state === "complete") return;
  if (state.state === "loading") return;
  const comments: string[] = state.findings.map(({ Comment }) => Comment);
  console.log(comments, shown.table.length, shown.error);
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
  const { state, findings, error, cancel } = objects.getSnapshot();
  const disposables: (() => void)[] = [view.stop, view.subscribe(() => {}), cancel];
  console.log(texts, state, findings?.[0]?.Language, error, disposables, objects.isShowing(ours, 42, "topics"));
}

/** The type of findings is one argument. */
export async function useNamed(client: FindingsClient<OurFinding>, store: FindingsStore): Promise<void> {
  const { findings } = useFindings<OurFinding>(client, 42, "topics");
  const { table } = useLiveTable<OurFinding>(client, 42, "topics");
  const { table: kept } = (await store.load<OurFinding>(client, 42, "topics")).getSnapshot();
  const languages: (string | undefined)[] = [findings?.[0], table?.at(0), kept.at(0)].map((each) => each?.Language);
  console.log(languages);
}
