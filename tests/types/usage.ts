/** The whole public interface, used as a caller would use it. It is only compiled. */

import {
  type Condition,
  type Count,
  type CountsOptions,
  type FindingKind,
  FindingsClient,
  FindingsError,
  type FindingsOptions,
  type FindingsTable,
  getFindings,
  getPartition,
  getPartitionCounts,
  type HeadersContext,
  type InspectionFinding,
  type InspectionKey,
  type KindCounts,
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
  type Summary,
  type TableOptions,
  type TableStream,
} from "inspection-findings";
import { type ArrowOptions, toArrowIPC } from "inspection-findings/arrow";
import * as inline from "inspection-findings/inline";
import type { FindingsStore } from "inspection-findings/keep";
import { useFindings, useLiveTable } from "inspection-findings/react";
import * as slim from "inspection-findings/slim";
import {
  createFakeService,
  type FakeService,
  type FakeServiceOptions,
  type Faults,
  type ReceivedRequest,
  type Scenario,
  type ScenarioName,
} from "inspection-findings/testing";

const options: Options = {
  baseUrl: new URL("https://service.example/cxi/"),
  headers: async ({ attempt, status, url }) => {
    const unauthorised: boolean = status === 401 && attempt > 0;
    if (new URL(url).origin !== "https://service.example") return {};
    return { Authorization: unauthorised ? "a new token" : "a token" };
  },
  credentials: "include",
  cache: "no-store",
  fetch: (input, init) => fetch(input, init),
  signal: AbortSignal.timeout(60_000),
  concurrency: 4,
  timeout: 10_000,
  totalTimeout: 120_000,
  retries: 5,
  maxRetryAfter: 30_000,
  completeness: "warn",
  maxPartitionBytes: 64 * 1024 * 1024,
  failurePolicy: "collect",
  order: "completion",
  maxBufferedBytes: 16 * 1024 * 1024,
  onPartition: ({ index, state, attempt, findings, bytes, error, delay }: PartitionChange) => {
    const numbers: number[] = [index ?? -1, attempt, findings, bytes, delay ?? 0];
    if (error?.code === "http") console.log(error.status);
    const isOver: boolean = state === "received" || state === "failed";
    console.log(numbers, isOver, state === "requested" || state === "retrying");
  },
  readCounts: (response): PartitionCounts => {
    const none: KindCounts = { partitions: 0, findings: null };
    return { sentiment: Array.isArray(response) ? none : { partitions: 1, findings: 10 }, topics: none };
  },
  onProgress: ({ partitionsDone, partitions, findingsDone, findings, bytes, retries }) => {
    const numbers: number[] = [partitionsDone, partitions, findingsDone, bytes, retries];
    const total: number | null = findings;
    console.log(numbers, total);
  },
};

const kind: FindingKind = "sentiment";

/** The values that a test passes in place of those of a call. */
export function mocks(): [Progress, PartitionChange] {
  const counts = { partitionsDone: 0, partitions: 1, findingsDone: 0, findings: null, bytes: 0, retries: 0 };
  const change = { index: 0, state: "requested", attempt: 1, findings: 0, bytes: 0 } as const;
  return [
    { ...counts, decodedIn: undefined },
    { ...change, error: undefined, delay: undefined },
  ];
}

/** The options of each kind of call, which a client takes as well. */
export async function optionsOfCalls(client: FindingsClient): Promise<void> {
  const shared = { baseUrl: "https://service.example/cxi/", timeout: 10_000 };
  const ofCounts: CountsOptions = { ...shared, readCounts: () => ({}), maxPartitionBytes: 1024 };
  const ofPartition: PartitionOptions = { ...shared, onProgress: () => {}, onPartition: () => {} };
  const ofFindings: FindingsOptions = { ...shared, failurePolicy: "collect", concurrency: 2, completeness: "off" };
  const ofStream: StreamOptions = {
    ...shared,
    order: "completion",
    maxBufferedBytes: 1024,
    failurePolicy: "fail-fast",
  };
  const clients = [ofCounts, ofPartition, ofFindings, ofStream].map((options: Options) => new FindingsClient(options));
  await Promise.all(clients.map((client) => client.preload()));
  await client.getPartitionCounts(42, ofCounts);
  await client.getPartition(42, "topics", 0, ofPartition);
  await client.loadPartition(42, "topics", 0, ofPartition);
  await client.getFindings(42, "topics", ofFindings);
  await client.loadTable(42, "topics", ofFindings);
  client.watchTable(42, "topics", ofFindings);
  client.streamPartitions(42, "topics", ofStream);
  client.streamTables(42, "topics", ofStream);
  await getPartitionCounts(42, ofCounts);
  await getPartition(42, "topics", 0, ofPartition);
  await getFindings(42, kind, ofFindings);
  await getFindings(42n, kind, options);
  const headers = ({ attempt, status, url }: HeadersContext) => ({ "x-about": `${attempt} ${status} ${url}` });
  await getFindings(42, "topics", { headers });
}

/** Options that do not apply to a call. */
export function optionsOfOtherCalls(client: FindingsClient, error: FindingsError): void {
  // @ts-expect-error a stream cannot collect
  client.streamPartitions(42, "topics", { failurePolicy: "collect" });
  // @ts-expect-error a stream cannot collect
  client.streamTables(42, "topics", { failurePolicy: "collect" });
  // @ts-expect-error only a stream has an order
  client.getFindings(42, "topics", { order: "index" });
  // @ts-expect-error only a stream has an order
  client.loadTable(42, "topics", { order: "index" });
  // @ts-expect-error only a stream has an order
  client.watchTable(42, "topics", { order: "index" });
  // @ts-expect-error only a stream has an order
  getFindings(42, "topics", { order: "index" });
  // @ts-expect-error only a stream has an order
  error.resume?.({ order: "index" });
  // @ts-expect-error the counts are one request
  client.getPartitionCounts(42, { concurrency: 2 });
  // @ts-expect-error the counts make no progress
  getPartitionCounts(42, { onProgress: () => {} });
  // @ts-expect-error a partition is one request
  client.getPartition(42, "topics", 0, { concurrency: 2 });
  // @ts-expect-error a partition has no total
  client.loadPartition(42, "topics", 0, { completeness: "off" });
  // @ts-expect-error a partition needs no counts
  getPartition(42, "topics", 0, { readCounts: () => ({}) });
  // @ts-expect-error a header has a value
  getFindings(42, "topics", { headers: { Authorization: undefined } });
}

export function queries(table: FindingsTable): void {
  const rows: InspectionFinding[] = [...table, ...table.slice(-2), ...table.toArray()];
  const last: InspectionFinding | undefined = table.at(-1);
  const numbers: [number, number, string[]] = [table.length, table.byteLength, table.columns];
  const values: unknown = table.column("Sentiment")[0];
  const counts: Count[] = table.countBy("Topic.Text", "Sentiment");
  const sameCounts: Count[] = table.countBy(["Topic.Text", "Sentiment"]);
  const means: number[] = table.summarize(["TopicGroup"], "Sentiment").map(({ mean }: Summary) => mean);
  const sameMeans: Summary[] = table.summarize("TopicGroup", "Sentiment");
  for (const { key, count, mean, max } of table.summarize(["TopicGroup"], { mean: "Sentiment", max: "StringKey" })) {
    const values: [string | null, ...number[]] = [key[0], count, mean, max];
    console.log(values);
  }
  table.sortBy(["TopicGroup", "Sentiment"], ["asc", "desc"]).sortBy(["StringKey"], "desc").free();
  table.filter([{ Sentiment: -2 }, { TopicGroup: { not: [null, "Other"] }, Sentiment: { not: { min: 0 } } }]).free();
  const where: Record<string, Condition> = {
    Sentiment: { min: 1 },
    TopicGroup: [null, "Price"],
    Comment: { contains: "a" },
  };
  const view: FindingsTable = table.filter(where).sortBy("RespondentKey", "desc");
  console.log(rows, last, numbers, values, counts, sameCounts, means, sameMeans, view);
  view.free();
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

export async function streams(client: FindingsClient, ours: FindingsClient<KnownFinding>): Promise<void> {
  const stream: PartitionStream = client.streamPartitions(42, "topics", { order: "index" });
  console.log(stream);
  const readable: ReadableStream<Partition> = client.streamPartitions(42, "topics").toReadableStream();
  await readable.pipeTo(new WritableStream<Partition>());
  {
    await using left = client.streamPartitions(42, "topics");
    const disposables: AsyncDisposable[] = [left, client.streamTables(42, "topics")];
    console.log(disposables);
  }
  const tables: TableStream<KnownFinding> = ours.streamTables(42, "topics", { order: "completion" });
  console.log(tables);
  const readableTables: ReadableStream<{ index: number; table: FindingsTable }> = client
    .streamTables(42, "topics")
    .toReadableStream();
  await readableTables.cancel();
}

export function arrow(table: FindingsTable, known: FindingsTable<KnownFinding>): void {
  const options: ArrowOptions = { strings: "utf8" };
  const stream: Uint8Array<ArrayBuffer> = toArrowIPC(table, options);
  const conforming: Uint8Array = toArrowIPC(known, { schema: stream });
  structuredClone(conforming, { transfer: [stream.buffer] });
}

export function fields(finding: InspectionFinding): void {
  const keys: number[] = [finding.VariableKey, finding.RespondentKey, finding.StringKey];
  const groups: (string | null)[] = [finding.TopicGroup, finding.ExpressionGroup];
  const generic: boolean | undefined = finding.NoTopic ?? finding.NoExpression;
  const texts: string[] = [finding.RespondentId, finding.Comment];
  const sentiment: number | undefined = finding.Sentiment;
  const undocumented: unknown = finding.Topic.Language;
  const topic: string | undefined = finding.Topic.Text ?? finding.Expression.Text ?? finding.Extract.Text;
  console.log(keys, groups, generic, texts, sentiment, topic, undocumented);
}

interface KnownFinding extends InspectionFinding {
  Language: string;
}

export function failure(error: unknown): string {
  if (!(error instanceof FindingsError)) {
    return String(error);
  }
  const {
    code,
    kind,
    inspectionKey,
    partitionIndex,
    url,
    status,
    attempts,
    messages,
    retryAfter,
    expected,
    received,
    cause,
  } = error;
  const about: [FindingKind | undefined, InspectionKey | undefined] = [kind, inspectionKey];
  const numbers: (number | undefined)[] = [partitionIndex, status, attempts, retryAfter, expected, received];
  const findings: InspectionFinding[] | undefined = error.findings;
  const address: string | undefined = url;
  console.log(about, numbers, findings, cause, address, messages?.join());
  switch (code) {
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
      // All codes have a case.
      return code satisfies never;
  }
}

interface Store<Snapshot> {
  subscribe(onChange: () => void): () => void;
  getSnapshot(): Snapshot;
}

export async function whileItLoads(): Promise<void> {
  using client = new FindingsClient<KnownFinding>();
  using live: LiveTable<KnownFinding> = client.watchTable(42, "sentiment", { failurePolicy: "collect" });
  const store: Store<LiveSnapshot<KnownFinding>> = live;
  const { subscribe, getSnapshot, resume } = live;
  const unsubscribe: () => void = subscribe(() => {
    const { state, table, progress, error } = store.getSnapshot();
    const first: KnownFinding | undefined = table.at(0);
    if (state === "partial") resume();
    if (state === "failed") console.error(error);
    console.log(first?.Comment, progress.partitionsDone, table.countBy("TopicGroup"));
  });
  using table: FindingsTable<KnownFinding> = await live.done;
  const shown: FindingsTable<KnownFinding> = getSnapshot().table;
  console.log(table.length === shown.length);
  unsubscribe();
  // @ts-expect-error a snapshot does not change
  getSnapshot().state = "loading";
  for await (const snapshot of live) {
    const { state }: LiveSnapshot<KnownFinding> = snapshot;
    if (snapshot.state === "complete") snapshot.error satisfies undefined;
    // @ts-expect-error the error may be any value
    else if (state === "failed") snapshot.error satisfies Error;
  }
}

export async function inUnusualHosts(bytes: Uint8Array<ArrayBuffer>, response: Promise<Response>): Promise<void> {
  await slim.init();
  await slim.init(new URL("https://host.example/inspection_findings_bg.wasm"));
  await slim.init(bytes);
  await slim.init(response);
  await slim.getFindings(42, "sentiment");
  const same: typeof FindingsClient = slim.FindingsClient;
  const sameInline: typeof FindingsClient = inline.FindingsClient;
  console.log(same, sameInline);
}

export function mistakes(): void {
  // @ts-expect-error there are two kinds
  getFindings(42, "emotion");
  // @ts-expect-error a key is an integer, or its digits
  getFindings([42], "topics");
  // @ts-expect-error an option that does not exist
  getFindings(42, "topics", { retry: 3 });
  // @ts-expect-error completeness is one of three words
  getFindings(42, "topics", { completeness: true });
  // @ts-expect-error one partition has an index
  getPartition(42, "topics");
}

export async function fakeService(): Promise<void> {
  const names: ScenarioName[] = ["small", "expired-token"];
  const faults: Faults = { latency: 5, jitter: 5, errorRate: 0.1, rateLimit: 10, slice: 1024, once: true };
  const scenario: Scenario = {
    latency: ({ random }) => 10 * random(),
    respond: ({ kind, partitionIndex, count, headers, correctResponse }) =>
      kind === "topics" && partitionIndex === 1 && count === 1 && !headers.has("x")
        ? Response.error()
        : correctResponse(),
  };
  const given: FakeServiceOptions = { seed: 1, sentiment: { findings: 10, partitions: 2 }, faults };
  const service: FakeService = createFakeService({
    ...given,
    topics: [[], []],
    scenario,
    baseUrl: new URL("http://a"),
  });
  for (const behaviour of [...names, scenario, faults]) service.use(behaviour);
  const standard: typeof fetch = service.fetch;
  const client = new FindingsClient({ baseUrl: service.baseUrl, fetch: service.fetch });
  const findings: InspectionFinding[] = service.findings("topics");
  const [first]: readonly ReceivedRequest[] = service.requests;
  const status: number | "failed" | undefined = first?.status;
  service.reset();
  console.log(await client.getFindings(1, "topics"), findings, status, standard);
}

/** Hooks take the options of a table. */
export function useHooks(client: FindingsClient, options: TableOptions): void {
  const { table, resume } = useLiveTable(client, 42, "topics", options);
  const { findings } = useFindings(client, 42, "topics", { ...options, columns: ["Comment"] });
  const comment: string | undefined = findings?.[0]?.Comment;
  console.log(table?.column("TopicGroup").length, comment);
  resume();
}

/** Each comparison narrows a state and a snapshot to those that remain. */
export function useNarrowed(client: FindingsClient, live: LiveTable): undefined {
  const state = useFindings(client, 42, "topics");
  const shown = useLiveTable(client, 42, "topics");
  const snapshot = live.getSnapshot();
  if (snapshot.state === "loading" || snapshot.state === "complete" || snapshot.state === "partial") return;
  if (snapshot.state === "failed") return;
  if (snapshot.state !== "aborted") return snapshot satisfies never;
  if (state.state === "failed" || shown.state === "loading") return;
  if (state.state === "aborted" || shown.state === "complete") return;
  if (state.state === "loading") return;
  const findings: InspectionFinding[] = state.findings;
  console.log(findings, shown.table.length, shown.error);
}

/** The type of findings is one argument. */
export async function useNamed(client: FindingsClient<Ours>, store: FindingsStore): Promise<void> {
  const { findings } = useFindings<Ours>(client, 42, "topics");
  const { table } = useLiveTable<Ours>(client, 42, "topics");
  const live = await store.load<Ours>(client, 42, "topics");
  const { table: kept } = live.getSnapshot();
  const grades: (number | undefined)[] = [findings?.[0]?.Grade, table?.at(0)?.Grade, kept.at(0)?.Grade];
  console.log(grades);
}

interface Ours {
  Grade: number;
}
