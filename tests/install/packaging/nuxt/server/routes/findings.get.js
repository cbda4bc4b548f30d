import process from "node:process";
import { getFindings } from "inspection-findings";

export default defineEventHandler(async () => {
  const options = { baseUrl: process.env.SERVICE };
  return { sentiment: await getFindings(42, "sentiment", options), topics: await getFindings(42, "topics", options) };
});
