/** The entry without tables: the same calls for plain objects, and no type of a table. It is only compiled. */

import {
  FindingsClient,
  FindingsError,
  type FindingsOptions,
  getFindings,
  type InspectionFinding,
  type Options,
  type PartialFindingsError,
  type PartitionStream,
} from "inspection-findings/objects";

const options: Options = { baseUrl: "https://service.example/cxi/", worker: "auto" };
const client = new FindingsClient(options);

export async function retrieve(): Promise<InspectionFinding[]> {
  const some = await client.getFindings(42, "topics", { columns: ["Comment", "Topic.Text"] });
  const text: unknown = some[0]?.Comment;
  // @ts-expect-error it is left out
  const left = some[0]?.Sentiment;
  const stream: PartitionStream = client.streamPartitions(42, "sentiment", { order: "completion" });
  for await (const { index, findings } of stream) console.log(index, findings[0]?.Sentiment, text, left);
  try {
    return await getFindings(42, "sentiment", { failurePolicy: "collect" });
  } catch (error) {
    if (!(error instanceof FindingsError)) throw error;
    // @ts-expect-error no call returns a table
    console.log(error.table);
    // @ts-expect-error no call opens bytes
    if (error.code === "bytes") throw error;
    if (error.code !== "partial") throw error;
    const partial: PartialFindingsError = error;
    console.log(partial.findings?.length, partial.failures.length);
    return partial.resume({ retries: 5 });
  }
}

// @ts-expect-error it has no calls for tables
void client.loadTable(42, "topics");
// @ts-expect-error it has no live tables
void client.watchTable(42, "topics");
// @ts-expect-error no call begins with a table
const from: FindingsOptions = { from: undefined };

export const constructed = [
  new FindingsError("http", "for a test", { status: 500, attempts: 1 }).status.toFixed(),
  from,
];
// @ts-expect-error
export const wrong = new FindingsError("http", "for a test");
