/**
 * Findings as NDJSON, one to a line, without loss: every line gives with `JSON.parse` the finding as the service sent it,
 * missing fields and nulls, lone surrogates and odd numbers included.
 */

import type { Format } from "./format.js";
import { jsonText } from "./json-text.js";

export const ndjson: Format = {
  name: "NDJSON",
  extension: ".ndjson",
  mediaType: "application/x-ndjson",
  begin: () => ({ head: "", lines: (findings) => findings.map((finding) => `${jsonText(finding)}\n`).join("") }),
};
