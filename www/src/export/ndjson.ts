/**
 * Findings as NDJSON, one per line, without loss: `JSON.parse` of a line equals the finding of the service, including
 * missing fields, nulls, lone surrogates, −0 and infinities.
 */

import { jsonText } from "../../../src/js/arrow/json-text.js";
import type { TextFormat } from "./text-format.js";

export const ndjson: TextFormat = {
  name: "NDJSON",
  extension: ".ndjson",
  mediaType: "application/x-ndjson",
  begin: () => ({ head: "", lines: (findings) => findings.map((finding) => `${jsonText(finding)}\n`).join("") }),
};
