import process from "node:process";
import { getFindings } from "inspection-findings";
import { retrieve } from "../common/retrieve.js";

export async function loader() {
  return Response.json(await retrieve(getFindings, { baseUrl: process.env.SERVICE }));
}
