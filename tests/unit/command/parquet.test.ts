/** The Parquet file of an export: every value comes back from it, in as many row groups as the rows need. */

import { parquetMetadata, parquetRead, parquetReadObjects } from "hyparquet";
import type { FindingsTable } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { describe, expect, test } from "vitest";
import { CommonColumns } from "../../../src/js/command/common-schema.js";
import { ParquetFile } from "../../../src/js/command/parquet-file.js";
import { jsonText } from "../../../src/js/core/host/json-text.js";
import { readByFlechette, valuesOf } from "../../readers/arrow/streams.js";
import { allBodies, load } from "../../readers/arrow/tables.js";
import { hostile } from "./export-findings.js";

const bodies = {
  ...allBodies(300),
  "hostile texts": [bodyOf(hostile.map((text, row) => ({ a: text, b: row % 3 === 0 ? null : text, c: { d: text } })))],
};

describe("every value comes back", () => {
  for (const [name, texts] of Object.entries(bodies)) {
    test(`of ${name}`, async () => {
      using table = await load(texts);
      const findings = texts.flatMap((text) => JSON.parse(text).Findings);
      for (const rowsInGroup of [7, 1_000_000]) {
        for (const { name, read, expected } of valuesOf(await readBack(table, rowsInGroup), findings, table.columns)) {
          expect(read, name).toEqual(expected);
        }
      }
    });
  }
});

test("a byte order mark at the beginning of a text stays", async () => {
  const texts = ["\ufeffx", "x\ufeff", "\ufeff", "", "\ufeffx"];
  using table = await load([bodyOf(texts.map((a) => ({ a })))]);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const parsers = { stringFromBytes: (bytes: Uint8Array) => decoder.decode(bytes) };
  const rows = await parquetReadObjects({ file: fileOf(table, 2), parsers });
  expect(rows.map(({ a }) => a)).toEqual(texts);
});

test("the file has as many row groups as the rows need", async () => {
  using table = await load([bodyOf(Array.from({ length: 10 }, (_, a) => ({ a })))]);
  const { row_groups: groups, num_rows: all } = parquetMetadata(fileOf(table, 4));
  expect(groups.map((group) => Number(group.num_rows))).toEqual([4, 4, 2]);
  expect(all).toBe(10n);
});

test("a column of keys has a Bloom filter, other columns have none", async () => {
  const findings = Array.from({ length: 20_000 }, (_, row) => ({ Key: row * 7, Sentiment: row % 5, Text: `${row}` }));
  using table = await load([bodyOf(findings)]);
  const file = fileOf(table, 1_000_000);
  const columns = parquetMetadata(file).row_groups[0]?.columns ?? [];
  const filtered = columns.filter(({ meta_data }) => meta_data?.bloom_filter_length !== undefined);
  expect(filtered.map(({ meta_data }) => meta_data?.path_in_schema)).toEqual([["Key"]]);
  const found = await parquetReadObjects({ file, filter: { Key: { $eq: 77_777 } } });
  expect(found).toMatchObject([{ Key: 77_777, Text: "11111" }]);
});

test("a table without findings is a file without rows", async () => {
  using table = await load([bodyOf([])]);
  const file = fileOf(table, 4);
  expect(await parquetReadObjects({ file })).toEqual([]);
  const names = parquetMetadata(file)
    .schema.slice(1)
    .map(({ name }) => name);
  expect(names).toEqual(readByFlechette(toArrowIPC(table)).columns.map(({ name }) => name));
});

function bodyOf(findings: object[]): string {
  return `{"Findings":${jsonText(findings)}}`;
}

function fileOf(table: FindingsTable<unknown>, rowsInGroup: number): ArrayBuffer {
  const columns = new CommonColumns().add(table as never).planned("sentiment", true);
  const file = new ParquetFile(columns, new Map(), rowsInGroup);
  return new Uint8Array(Buffer.concat([...file.add(table as never), ...file.end()])).buffer;
}

/** The columns of the file, which are compared like those of the stream that it was made of. */
async function readBack(table: FindingsTable<unknown>, rowsInGroup: number) {
  const { columns, metadata } = readByFlechette(toArrowIPC(table));
  // Rows are arrays, because an object cannot have every name as its own.
  let rows: unknown[][] = [];
  await parquetRead({
    file: fileOf(table, rowsInGroup),
    onComplete: (read) => {
      rows = read as unknown as unknown[][];
    },
  });
  return { metadata, columns: columns.map((column, index) => ({ ...column, values: rows.map((row) => row[index]) })) };
}
