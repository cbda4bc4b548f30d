// The entry for files that a page hands over: CSV and workbooks of Excel.

export type { CsvSeparator } from "./csv-writer.js";
export type { Exportable } from "./exported-rows.js";
export {
  type CsvOptions,
  csvOf,
  type ExportOptions,
  type ExportProgress,
  type XlsxOptions,
  xlsxOf,
} from "./files.js";
