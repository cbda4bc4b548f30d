import { getFindings } from "inspection-findings";
import { retrieve } from "../../common/retrieve.js";

export const dynamic = "force-dynamic";

export async function GET() {
  return Response.json(await retrieve(getFindings, { baseUrl: process.env.SERVICE }));
}
