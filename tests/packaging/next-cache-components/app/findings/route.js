import { retrieved } from "../retrieved.js";

export async function GET() {
  return Response.json(await retrieved());
}
