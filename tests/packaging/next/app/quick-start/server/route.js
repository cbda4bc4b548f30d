export const dynamic = "force-dynamic";

export async function GET() {
  await import("../../../quick-start.js");
  return Response.json("done");
}
