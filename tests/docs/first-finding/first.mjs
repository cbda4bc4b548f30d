// first.mjs: prints the first finding of an inspection
import { FindingsClient } from "inspection-findings";
import { baseUrl, signIn } from "./session.mjs";

const { bearerToken } = await signIn();
const client = new FindingsClient({ baseUrl, headers: { Authorization: bearerToken } });
const table = await client.loadTable(42, "sentiment");
const { Comment, Topic, Sentiment } = table.at(0) ?? {};
console.log(`${table.length} findings. The first: ${Topic?.Text} (${Sentiment}) in "${Comment}"`);
