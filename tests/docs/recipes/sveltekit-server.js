// src/routes/findings/[key]/+server.js
import { findingsResponse } from "./findings-response.js";

/** @param {{ request: Request, params: { key: string } }} event */
export function GET({ request, params }) {
  return findingsResponse(params.key, request.signal);
}
