/** The rows of exported files, read by other programs than those that write them: one shape for all formats. */

import { parse } from "csv-parse/sync";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import readWorkbook from "read-excel-file/node";

type Row = Record<string, unknown>;

/** A file that was read. */
export interface ReadFile {
  /** Each row has all columns; null for no value. */
  readonly rows: Row[];
  /** The metadata of the file, if the format has them. */
  readonly metadata?: Record<string, string | undefined>;
}

/** The readers by the ending of the file. */
export const fileReaders = {
  ".ndjson": (bytes: Buffer): ReadFile => {
    const rows = bytes
      .toString()
      .split("\n")
      .slice(0, -1)
      .map((line) => flat(JSON.parse(line)));
    const names = new Set(rows.flatMap(Object.keys));
    return { rows: rows.map((row) => rowOf([...names], (name) => row[name])) };
  },
  ".csv": (bytes: Buffer): ReadFile => {
    const [names = [], ...rows] = readCsv(bytes, ",");
    return { rows: rows.map((row) => rowOf(names as string[], (_, column) => row[column])) };
  },
  ".xlsx": async (bytes: Buffer): Promise<ReadFile> => {
    const [names = [], ...rows] = (await readWorkbook(bytes, { trim: false }))[0]?.data ?? [];
    return { rows: rows.map((row) => rowOf(names as string[], (_, column) => row[column])) };
  },
  ".parquet": async (bytes: Buffer): Promise<ReadFile> => {
    const file = new Uint8Array(bytes).buffer;
    const { key_value_metadata: entries = [] } = parquetMetadata(file);
    return {
      rows: await parquetReadObjects({ file }),
      metadata: Object.fromEntries(entries.map(({ key, value }) => [key, value])),
    };
  },
};

export type Ending = keyof typeof fileReaders;

function rowOf(names: string[], cellOf: (name: string, column: number) => unknown): Row {
  return Object.fromEntries(names.map((name, column) => [name, cellOf(name, column) ?? null]));
}

/** A finding with the fields of objects beside its own, by their dotted names. An empty object has none. */
function flat(finding: Row, above = ""): Row {
  const members = Object.entries(finding).flatMap(([key, value]) => {
    const name = above + key.replace(/[\\.]/g, "\\$&");
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? Object.entries(flat(value as Row, `${name}.`)) : [[name, value]];
  });
  return Object.fromEntries(members);
}

interface Cell {
  text: string;
  /** Whether it is quoted. */
  isText: boolean;
}

/** The cells of an exported CSV file with their values, as csv-writer.ts says; the first row has the columns. */
export function readCsv(bytes: Buffer, separator: string): unknown[][] {
  if (!bytes.subarray(0, 3).equals(Buffer.from("\ufeff"))) throw new Error("no byte order mark at the beginning");
  const rows = parse(bytes.subarray(3), {
    delimiter: separator,
    record_delimiter: "\r\n",
    cast: (text, { quoting }) => ({ text, isText: quoting }),
  });
  return (rows as unknown as Cell[][]).map((row) =>
    row.map(({ text, isText }, column) => {
      if (isText) return unguarded(text, column === row.length - 1);
      return text === "" ? undefined : JSON.parse(separator === ";" ? text.replace(",", ".") : text);
    }),
  );
}

/** A text without the apostrophes that guard it. */
function unguarded(text: string, isLast: boolean): string {
  const inner = text.replace(
    /^'(?='*[[\s"\p{Cc}\p{Cf}]--[\t\r\n]]*[=+\-@＝＋－＠\t\r\n])|(?<=[,;\t\r\n])'(?='*[[\s"\p{Cc}\p{Cf}]--[\t\r\n]]*(?:[=+\-@＝＋－＠\t]|\r(?!\n)))/gv,
    "",
  );
  return isLast ? inner.replace(/(?<=[,;\t\r\n])'(?='*[[\s"\p{Cc}\p{Cf}]--[\t\r\n]]*$)/v, "") : inner;
}
