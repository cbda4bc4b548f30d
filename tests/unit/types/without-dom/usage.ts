/** The interface in a program whose libraries have no type of the web platform. It is only compiled. */

import type { FindingsClient, Options } from "inspection-findings";
import { init } from "inspection-findings/manual";
import { createFakeService } from "inspection-findings/testing";

/** Members that the package uses stand for the platform's objects. */
export async function own(client: FindingsClient, bytes: Uint8Array, platform: Options): Promise<string[]> {
  await init({ module: bytes });
  const { aborted }: { aborted: boolean } = platform.signal ?? { aborted: false };
  const signal = { aborted, reason: undefined, addEventListener() {}, removeEventListener() {} };
  const { baseUrl, fetch, requests } = createFakeService();
  await client.getFindings(42, "topics", { baseUrl, fetch, signal });
  const read = await client.streamPartitions(42, "topics").toReadableStream().getReader().read();
  const comments: string[] = read.value?.findings.map(({ Comment }) => Comment) ?? [];
  return [...comments, ...requests.map(({ headers }) => headers.get("accept") ?? "")];
}

/** The package declares no global: it would be declared twice. */
declare global {
  type AbortSignal = never;
  type Headers = never;
  type ReadableStream = never;
  type Request = never;
  type RequestInit = never;
  type Response = never;
  type URL = never;
  type Worker = never;
  namespace WebAssembly {
    type Module = never;
  }
}
