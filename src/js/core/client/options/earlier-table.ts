// The option `from`: a table that a call begins with.

import { noTable, refusal } from "../../argument/refusal.js";
import type { EarlierTable } from "../../engine/engine.js";
import type { CallTarget } from "../../table/call-target.js";
import { type OfCall, TABLES } from "../../table/origin.js";
import { FindingsTable } from "../../table/table.js";
import { SOURCE } from "../../table/table-source.js";

/** A table as it was when the caller passed it. */
export interface PassedTable {
  readonly origin: OfCall;
  /** The table in Rust, for one call; undefined if nothing has arrived in it. */
  readonly source: EarlierTable | undefined;
  /** The names of its columns, as the option `columns` has them. */
  readonly columns: Uint8Array | undefined;
}

/** Reads the option. */
export function readEarlierTable(value: unknown, name: string): PassedTable {
  if (!(value instanceof FindingsTable)) throw noTable(name, value);
  const { columns, origin } = value[SOURCE]();
  const { counts = undefined } = origin.of === "call" ? origin : {};
  const source: EarlierTable | null | undefined = columns.earlierTable(counts?.partitions ?? 0, counts?.findings);
  if (origin.of !== "call" || source === undefined || (source !== null && counts === undefined)) {
    const got = `${origin.savedAt === undefined ? "got" : "the bytes are of"} ${TABLES[origin.of]}`;
    // The service does not know the column, so new findings would lack its values.
    const remedy = origin.of === "extension" ? ": pass the table without it, and call with() on the result" : "";
    throw refusal(`${name} must be a table of loadTable, watchTable or FindingsTable.fromBytes; ${got}${remedy}`);
  }
  return { origin, source: source ?? undefined, columns: columns.columnList() };
}

/** Throws a `TypeError` if a table has findings of another inspection or kind, or other columns, than a call asks for. */
export function checkEarlierTable(
  from: PassedTable | undefined,
  { inspectionKey, kind }: CallTarget,
  { columns, baseUrl }: { readonly columns?: Uint8Array | undefined; readonly baseUrl: string },
): void {
  if (from === undefined) return;
  const { origin } = from;
  if (BigInt(origin.inspectionKey) !== BigInt(inspectionKey) || origin.kind !== kind) {
    throw refusal(
      `from has ${origin.kind} findings of inspection ${origin.inspectionKey}, not ${kind} findings of inspection ${inspectionKey}`,
    );
  }
  if (origin.baseUrl !== undefined && origin.baseUrl !== baseUrl) {
    throw refusal(`from was loaded from ${origin.baseUrl}, not from ${baseUrl}`);
  }
  // An empty list is not the same as no list. The first table of a live table has nothing yet, so it fits every list.
  if (from.source !== undefined && String(from.columns) !== String(columns)) {
    throw refusal("from was loaded with other columns: pass the same option columns as the call that loaded it");
  }
}
