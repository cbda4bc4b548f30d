/** What was asked, of whom: a sentence that stays true when something else is chosen in the form. */

import type { FindingsRequest } from "./request-form.js";

export function askedSentence({ inspectionKey, kind, own }: FindingsRequest): string {
  const service = own === undefined ? "the built-in service, which invents them" : own.baseUrl;
  return `Asked of ${service}: ${kind === "topics" ? "topic" : "sentiment"} findings of inspection ${inspectionKey}`;
}
