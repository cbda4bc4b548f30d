/** A sentence that says what was requested, and from which service. It stays true when the form changes. */

import type { FindingsRequest } from "./request-form.js";

export function requestSummary({ inspectionKey, kind, own }: FindingsRequest): string {
  const service = own === undefined ? "the built-in service, with invented data" : own.baseUrl;
  return `Requested from ${service}: ${kind === "topics" ? "topic" : "sentiment"} findings of inspection ${inspectionKey}`;
}
