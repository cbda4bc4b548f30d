/** The rows of exported workbooks, Parquet and Arrow files, each with the columns that it has. The test reads the text formats by its own rules. */

import * as apache from "apache-arrow";
import { parquetReadObjects } from "hyparquet";
import readWorkbook from "read-excel-file/node";

type Rows = Record<string, unknown>[];

/** Reads the rows of a file. */
export type RowReader = (bytes: Buffer) => Promise<Rows> | Rows;

/** The readers by the ending of the file. */
export const rowReaders: Record<".xlsx" | ".parquet" | ".arrow", RowReader> = {
  ".xlsx": async (bytes) => {
    const [names = [], ...rows] = (await readWorkbook(bytes))[0]?.data ?? [];
    return rows.map((row) => Object.fromEntries(names.map((name, column) => [name, row[column] ?? null])));
  },
  ".parquet": (bytes) => parquetReadObjects({ file: new Uint8Array(bytes).buffer }),
  ".arrow": (bytes) =>
    apache
      .tableFromIPC(bytes)
      .toArray()
      .map((row) => row.toJSON()),
};
