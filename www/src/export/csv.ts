/** Findings as CSV, for spreadsheets and for parsers of RFC 4180, as the command writes them. */

import { csvOf } from "../../../src/js/command/csv-writer.js";
import type { TextFormat } from "./text-format.js";

export const csv: TextFormat = {
  name: "CSV",
  extension: ".csv",
  mediaType: "text/csv",
  begin: csvOf,
};
