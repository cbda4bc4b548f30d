// app/findings/[key]/route.js
import { findingsResponse } from "./findings-response.js";

/**
 * @param {Request} request
 * @param {{ params: Promise<{ key: string }> }} context
 */
export async function GET(request, { params }) {
  const { key } = await params;
  return findingsResponse(key, request.signal);
}
