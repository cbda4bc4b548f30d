// Exports all findings of one kind to a folder: one Parquet file for each partition, all with one schema.
//
// node export.js https://service.example/cxi/ 42 sentiment findings/

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { Type, tableFromIPC } from "@uwdata/flechette";
import { asyncBufferFromFile, parquetMetadataAsync } from "hyparquet";
import { parquetWriteFile } from "hyparquet-writer";
import { FindingsClient } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";

/** The partitions under way at the same time. */
const PARALLEL = 4;

const [baseUrl, key, kindGiven, folder] = process.argv.slice(2);
if (folder === undefined || (kindGiven !== "sentiment" && kindGiven !== "topics")) {
  throw new Error("usage: node export.js BASE_URL INSPECTION_KEY sentiment|topics FOLDER");
}
/** @type {import("inspection-findings").FindingKind} */
const kind = kindGiven;
const inspectionKey = BigInt(key);
const token = process.env.FINDINGS_TOKEN?.trim();
// The service issues bearer tokens with their prefix.
const authorization = token && (/^bearer /i.test(token) ? token : `Bearer ${token}`);
const client = new FindingsClient({ baseUrl, headers: authorization ? { authorization } : undefined });

mkdirSync(folder, { recursive: true });
const counts = (await client.getPartitionCounts(inspectionKey))[kind];
// Findings of another inspection, or of the same after another analysis, must not be mixed with those of the folder.
const now = JSON.stringify({ inspectionKey: `${inspectionKey}`, kind, ...counts });
const before = once("export.json", () => now).toString();
if (before !== now) throw new Error(`${folder} has ${before}, and the service has ${now}: export to another folder`);

const indexes = Array.from({ length: counts.partitions }, (_, index) => index);
// A file has its name once it is complete: an interrupted export gets only what is missing.
const missing = indexes.filter((index) => !existsSync(fileOf(index)));
const schema = existsSync(pathOf("schema.arrows")) ? undefined : await decideSchema();
await Promise.all(Array.from({ length: PARALLEL }, exportMissing));
client.free();

let written = 0;
for (const index of indexes) {
  const { num_rows } = await parquetMetadataAsync(await asyncBufferFromFile(fileOf(index)));
  written += Number(num_rows);
}
if (counts.findings !== null && written !== counts.findings) {
  throw new Error(`the files have ${written} findings, and the service announces ${counts.findings}`);
}
console.log(`${written} findings in ${indexes.length} files`);

/** Returns the schema of the first partition that has findings. */
async function decideSchema() {
  for (const index of missing) {
    using table = await client.loadPartition(inspectionKey, kind, index);
    if (table.length === 0 && index !== missing.at(-1)) continue;
    const stream = toArrowIPC(table, { strings: "utf8" });
    // The schema is the first message of a stream: a marker, the length of the rest, and the rest.
    return stream.slice(0, 8 + new DataView(stream.buffer).getInt32(4, true));
  }
  return new Uint8Array();
}

/** Exports partitions one after the other, until none is left. */
async function exportMissing() {
  for (let index = missing.shift(); index !== undefined; index = missing.shift()) {
    using table = await client.loadPartition(inspectionKey, kind, index);
    const stream = toArrowIPC(table, { schema: once("schema.arrows", () => schema ?? "") });
    const filename = pathOf(`${index}.part`);
    parquetWriteFile({ filename, columnData: columnsOf(stream, table) });
    renameSync(filename, fileOf(index));
  }
}

/**
 * The columns of an Arrow stream, for the writer.
 * @param {Uint8Array} stream
 * @param {import("inspection-findings").FindingsTable<any>} table
 */
function columnsOf(stream, table) {
  const arrow = tableFromIPC(stream);
  const names = new Set(table.columns);
  return arrow.schema.fields.map(({ name, type, metadata }, column) => {
    const isText = type.typeId === Type.Utf8 && !metadata?.has("inspection-findings.content");
    // Flechette takes a byte order mark at the beginning of a text for one of an encoding, so texts come from the table.
    const values = isText && names.has(name) ? table.column(name) : arrow.getChildAt(column);
    return { name, type: parquetType(type.typeId), nullable: true, data: Array.from(values, (value) => value ?? null) };
  });
}

/**
 * @param {number} type of Arrow
 * @returns {import("hyparquet-writer").BasicType}
 */
function parquetType(type) {
  if (type === Type.Bool) return "BOOLEAN";
  if (type === Type.Int) return "INT32";
  return type === Type.Float ? "DOUBLE" : "STRING";
}

/**
 * Returns the content of a file of the folder, which is written the first time.
 * @param {string} name
 * @param {() => string | Uint8Array} content
 */
function once(name, content) {
  if (!existsSync(pathOf(name))) writeFileSync(pathOf(name), content());
  return readFileSync(pathOf(name));
}

/** @param {number} index */
function fileOf(index) {
  return pathOf(`${String(index).padStart(6, "0")}.parquet`);
}

/** @param {string} name */
function pathOf(name) {
  return join(folder, name);
}
