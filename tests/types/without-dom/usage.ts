/** The interface in a program whose libraries have no type of the web platform. It is only compiled. */

import { FindingsClient, FindingsError, type FindingsTable, getFindings, type Options } from "inspection-findings";
import { init } from "inspection-findings/slim";
import { createFakeService } from "inspection-findings/testing";

const options: Options = {
  baseUrl: "https://service.example/cxi/",
  headers: ({ status }) => ({ Authorization: status === 401 ? "a new token" : "a token" }),
  onProgress: ({ partitionsDone }) => void partitionsDone.toFixed(),
};

export async function findings(bytes: Uint8Array): Promise<string[]> {
  await init(bytes);
  const client = new FindingsClient(options);
  const table: FindingsTable = await client.loadTable(42, "topics");
  for await (const { findings } of client.streamPartitions(42, "topics")) findings.at(0)?.Comment;
  const texts = [...table].map(({ Comment }) => Comment);
  const all = await getFindings(42, "sentiment", options).catch((error: unknown) => {
    if (error instanceof FindingsError && error.code === "partial" && error.findings) return error.findings;
    throw error;
  });
  return [...texts, ...all.map(({ Comment }) => Comment)];
}

export async function fakes(): Promise<string[]> {
  const service = createFakeService({ scenario: "flaky" });
  const client = new FindingsClient({ baseUrl: service.baseUrl, fetch: service.fetch });
  service.use({ errorRate: 0.5 });
  return [...(await client.getFindings(1, "topics")), ...service.findings("topics")].map(({ Comment }) => Comment);
}
