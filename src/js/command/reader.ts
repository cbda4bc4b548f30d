// The program that the Python package starts: reads the counts of an inspection as JSON, all its findings as one Arrow
// stream, or some partitions as Arrow streams, one after the other.
//
// The first line of the standard input is the request. An error is the last line of the standard error, as JSON.

import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import {
  bool,
  type DataType,
  Endianness,
  field,
  float64,
  int32,
  Table,
  tableToIPC,
  utf8,
  Version,
} from "@uwdata/flechette";
import type { Options } from "../core/client/options.js";
import { thrownText } from "../core/host/member.js";
import { isWithin } from "../core/table/column-path.js";
import type { FindingKind } from "../core/table/finding.js";
import { FindingsClient, FindingsError } from "../entries/inline.js";
import { toArrowIPC } from "../subpaths/arrow/arrow.js";
import { arrowStream } from "./arrow-output.js";
import { CommonColumns, documentedColumns } from "./common-schema.js";
import { countsOf } from "./counts.js";
import type { Partition } from "./format.js";
import { type TokenHeader, tokenAdvice, tokenHeaders } from "./token.js";

interface Common {
  readonly client: Options;
  readonly inspectionKey: string;
  readonly kind: FindingKind;
  readonly tokenHeader: TokenHeader;
  readonly token?: string | null;
}

type Request = Common &
  (
    | { readonly read: "counts" }
    | { readonly read: "table"; readonly names: string[] | null }
    | { readonly read: "partitions"; readonly columns: Columns; readonly indexes: number[] }
  );

/** The types of columns by their names. */
type Columns = Record<string, "boolean" | "double" | "int" | "string">;

const TYPES: Record<Columns[string], () => DataType> = { boolean: bool, double: float64, int: int32, string: utf8 };

const input = createInterface({ input: process.stdin });
const [line] = await once(input, "line");
// The input ends with the process that has started this one, also where it has been killed: nobody reads the output any more.
input.once("close", () => process.exit(1));

const request: Request = JSON.parse(line);
let current: number | undefined;
try {
  await answer(request);
  process.exit();
} catch (error) {
  process.stderr.write(`${JSON.stringify(reportOf(error, request))}\n`, () => process.exit(1));
}

async function answer(request: Request): Promise<void> {
  const { client: options, inspectionKey, kind, tokenHeader, token } = request;
  const headers = () => tokenHeaders(tokenHeader, token ?? undefined);
  const readCounts = request.read === "counts" ? countsOf(kind) : undefined;
  const client = new FindingsClient({ ...options, headers, readCounts });
  switch (request.read) {
    case "counts":
      return write(JSON.stringify((await client.getPartitionCounts(inspectionKey))[kind]));
    case "table":
      return writeTable(client, request);
    case "partitions":
      for (current of request.indexes) {
        const table = await client.loadPartition(inspectionKey, kind, current);
        const stream = toArrowIPC(table, { schema: schemaFor(request.columns, table.columns) });
        table.free();
        await write(stream);
      }
  }
}

/** Writes all findings as one stream, with a record batch for each partition that has some. */
async function writeTable(client: FindingsClient, { inspectionKey, kind, names }: Request & { read: "table" }) {
  const chosen = { keeps: (name: string) => names?.includes(name) ?? true, ordered: (all: readonly string[]) => all };
  const columns = new CommonColumns(chosen, true);
  const partitions: Partition[] = [];
  const options = { columns: names ?? undefined };
  let length = 0;
  for await (const { index, table } of client.streamTables(inspectionKey, kind, options)) {
    columns.add(table);
    partitions.push({ index, table });
    length += table.length;
  }
  // An object stands for its fields. Topic findings lack the documented field.
  const known = ["Sentiment", ...columns.planned(kind, false).map(({ name }) => name)];
  const unknown = names?.find((name) => !known.some((one) => isWithin(one, name)));
  if (unknown !== undefined && length > 0) {
    const documented = documentedColumns(kind).map((name) => JSON.stringify(name));
    const known = `the documented columns are ${documented.join(", ")}`;
    throw new RangeError(`no finding has the column ${JSON.stringify(unknown)}; ${known}`);
  }
  async function* freed(): AsyncGenerator<Partition, void> {
    for (const partition of partitions) {
      yield partition;
      partition.table.free();
    }
  }
  for await (const part of arrowStream({ inspectionKey, kind, columns }, freed())) await write(part);
}

/**
 * The schema of the declared columns, with their types: a value that does not fit is an error. The other columns, which
 * the caller leaves out, follow as JSON, which every value fits.
 *
 * @param names the columns of a table
 */
function schemaFor(columns: Columns, names: readonly string[]): Uint8Array {
  const declared = Object.entries(columns).map(([name, type]) => field(name, TYPES[type]()));
  const json = new Map([["inspection-findings.content", "json"]]);
  const others = names.filter((name) => !Object.hasOwn(columns, name)).map((name) => field(name, utf8(), true, json));
  const fields = [...declared, ...others];
  const schema = { version: Version.V5, endianness: Endianness.Little, fields, metadata: new Map() };
  return tableToIPC(new Table(schema, []), { format: "stream" }) as Uint8Array;
}

function write(output: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(output, (error) => (error ? reject(error) : resolve()));
  });
}

/** An error as JSON, without the findings that it may carry. */
function reportOf(error: unknown, { client, inspectionKey, kind, tokenHeader, token }: Request): object {
  if (error instanceof FindingsError) {
    const advice = error.status === 401 ? ` ${tokenAdvice(tokenHeader, "token_header", token ?? undefined)}` : "";
    return { ...error.toJSON(), message: error.message + advice, kind };
  }
  const place = current === undefined ? "" : `${kind} partition ${current} of `;
  const reason = thrownText(error);
  return {
    code: error instanceof Error ? error.name : "error",
    message: `${place}inspection ${inspectionKey} (${client.baseUrl}): ${reason}`,
    kind,
    inspectionKey,
    partitionIndex: current,
  };
}
