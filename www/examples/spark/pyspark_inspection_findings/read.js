// Reads for a task of Spark: the counts of an inspection as JSON, or partitions as Arrow streams, one after the other.
//
// The first line of the standard input is the request. An error is the last line of the standard error, as JSON.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { bool, Endianness, field, float64, int32, Table, tableToIPC, utf8, Version } from "@uwdata/flechette";
import { FindingsClient, FindingsError } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";

/**
 * @typedef {object} Request
 * @property {import("inspection-findings").Options} client
 * @property {string} inspectionKey
 * @property {import("inspection-findings").FindingKind} kind
 * @property {"authorization" | "authentication"} tokenHeader
 * @property {Record<string, "boolean" | "double" | "int" | "string">} columns the types by name
 * @property {number[]} [indexes] of partitions; without them the counts are read
 */

const types = { boolean: bool, double: float64, int: int32, string: utf8 };

const input = createInterface({ input: process.stdin });
const [line] = await once(input, "line");
// The input ends with the task, also with one whose machine has lost its worker: nobody reads the output any more.
input.once("close", () => process.exit(1));

/** @type {Request} */
const { client: options, inspectionKey: key, kind, tokenHeader, columns, indexes } = JSON.parse(line);
const inspectionKey = BigInt(key);
const client = new FindingsClient({ ...options, headers });
/** @type {number | undefined} */
let current;
try {
  if (indexes === undefined) await write(JSON.stringify((await client.getPartitionCounts(inspectionKey))[kind]));
  for (current of indexes ?? []) await writePartition(current);
  process.exit();
} catch (error) {
  process.stderr.write(`${JSON.stringify(reportOf(error))}\n`, () => process.exit(1));
}

/**
 * Writes a partition. The declared columns come first, with their types; a value that does not fit is an error.
 * @param {number} index
 */
async function writePartition(index) {
  const table = await client.loadPartition(inspectionKey, kind, index);
  const stream = toArrowIPC(table, { schema: schemaFor(table.columns) });
  table.free();
  await write(stream);
}

/**
 * The schema of the declared columns. Others, which the task leaves out, follow as JSON, which every value fits.
 * @param {string[]} names of the columns of a table
 */
function schemaFor(names) {
  const declared = Object.entries(columns).map(([name, type]) => field(name, types[type]()));
  const json = new Map([["inspection-findings.content", "json"]]);
  const others = names.filter((name) => !Object.hasOwn(columns, name)).map((name) => field(name, utf8(), true, json));
  const schema = {
    version: Version.V5,
    endianness: Endianness.Little,
    fields: [...declared, ...others],
    metadata: new Map(),
  };
  return /** @type {Uint8Array} */ (tableToIPC(new Table(schema, []), { format: "stream" }));
}

/** The headers of an attempt. Each attempt reads the token again, because it may have been renewed meanwhile. */
function headers() {
  const token = readToken()?.trim();
  if (!token) return {};
  // The service issues bearer tokens with their prefix.
  const isComplete = tokenHeader === "authentication" || /^bearer /i.test(token);
  return { [tokenHeader]: isComplete ? token : `Bearer ${token}` };
}

function readToken() {
  const { FINDINGS_TOKEN_FILE: file, FINDINGS_TOKEN: token } = process.env;
  try {
    return file ? readFileSync(file, "utf8") : token;
  } catch (cause) {
    throw new Error(`the file of FINDINGS_TOKEN_FILE cannot be read on this machine: ${messageOf(cause)}`);
  }
}

/** @param {string | Uint8Array} output */
function write(output) {
  return /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      process.stdout.write(output, (error) => (error ? reject(error) : resolve()));
    })
  );
}

/**
 * An error as JSON, without the findings that it may carry.
 * @param {unknown} error
 */
function reportOf(error) {
  if (error instanceof FindingsError) {
    const { code, message, partitionIndex, url, status, attempts, retryAfter, messages } = error;
    return { code, message, kind, inspectionKey: key, partitionIndex, url, status, attempts, retryAfter, messages };
  }
  const place = current === undefined ? "" : `${kind} partition ${current} of `;
  const message = `${place}inspection ${key} (${options.baseUrl}): ${messageOf(error)}`;
  return {
    code: error instanceof Error ? error.name : "error",
    message,
    kind,
    inspectionKey: key,
    partitionIndex: current,
  };
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
