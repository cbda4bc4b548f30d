/**
 * Findings as NDJSON, one per line, without loss: `JSON.parse` of a line equals the finding of the service, including
 * missing fields, nulls, lone surrogates, −0 and infinities.
 */

import type { Format } from "./format.js";
import { jsonText } from "./json-text.js";

export const ndjson: Format = {
  name: "NDJSON",
  extension: ".ndjson",
  mediaType: "application/x-ndjson",
  begin: () => ({ head: "", lines: (findings) => findings.map((finding) => `${jsonText(finding)}\n`).join("") }),
};
