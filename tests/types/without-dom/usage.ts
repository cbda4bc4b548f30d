/** The interface in a program whose libraries have no type of the web platform. It is only compiled. */

import { FindingsClient, FindingsError, getFindings, type Options } from "inspection-findings";
import { init } from "inspection-findings/manual";
import { createFakeService } from "inspection-findings/testing";

export async function findings(options: Options, bytes: Uint8Array): Promise<string[]> {
  await init({ module: bytes });
  const service = createFakeService({ scenario: "flaky" });
  const client = new FindingsClient({ ...options, baseUrl: service.baseUrl, fetch: service.fetch });
  const table = await client.loadTable(42, "topics");
  for await (const { findings } of client.streamPartitions(42, "topics")) findings.at(0)?.Comment;
  const all = await getFindings(42, "sentiment", options).catch((error: unknown) => {
    if (error instanceof FindingsError && error.code === "partial" && error.findings) return error.findings;
    throw error;
  });
  return [...table, ...all].map(({ Comment }) => Comment);
}

/** Members that the package uses stand for the platform's objects. */
export async function own(
  client: FindingsClient,
  host: { AbortSignal: NonNullable<Options["signal"]> },
): Promise<void> {
  const { aborted }: { aborted: boolean } = host.AbortSignal;
  const signal = { aborted, reason: undefined, addEventListener() {}, removeEventListener() {} };
  await client.getFindings(42, "topics", { signal });
  const read = await client.streamPartitions(42, "topics").toReadableStream().getReader().read();
  read.value?.findings.map(({ Comment }) => Comment.length);
  const headers: string[] = createFakeService().requests.map(({ headers }) => headers.get("accept") ?? "");
  void headers;
}

/** The package declares no global. */
export type Globals = [
  // @ts-expect-error
  AbortSignal,
  // @ts-expect-error
  Headers,
  // @ts-expect-error
  ReadableStream<string>,
  // @ts-expect-error
  Request,
  // @ts-expect-error
  RequestInit,
  // @ts-expect-error
  Response,
  // @ts-expect-error
  URL,
  // @ts-expect-error
  WebAssembly.Module,
  // @ts-expect-error
  Worker,
];
