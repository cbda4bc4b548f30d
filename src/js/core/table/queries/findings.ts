// Findings of a table as objects: one, some of them, or each in turn.

import { moduleStops } from "../../host/cleanup.js";
import type { Finding } from "../rows/row-layout.js";
import type { TableData } from "../table-data.js";

/** The number of rows that an iterator builds at once. */
const BATCH = 256;

/** Builds the finding at an index as `Array.prototype.at` resolves it. */
export function findingAt(table: TableData, index: number): Finding | undefined {
  const length = table.columns.length();
  const whole = Math.trunc(index) || 0;
  const position = whole < 0 ? length + whole : whole;
  if (position < 0 || position >= length) return undefined;
  return table.reader.row(position, length);
}

/** Builds the findings between two indexes as `Array.prototype.slice` resolves them. */
export function findingsBetween(table: TableData, start?: number, end?: number): Finding[] {
  const length = table.columns.length();
  // An index that is an object may free the table when it becomes a number.
  const [from, to] = [resolved(start, 0, length), resolved(end, length, length)];
  return table.reader.rows(from, to);
}

/** Builds all findings, a batch at a time. */
export function* eachFinding(table: TableData): Generator<Finding, undefined> {
  const length = table.columns.length();
  const stops = moduleStops();
  for (let from = 0; from < length; from += BATCH) {
    for (const finding of table.reader.rows(from, Math.min(from + BATCH, length))) {
      // Throws if the table has been freed meanwhile, or WebAssembly has stopped.
      const { columns } = table;
      if (stops !== moduleStops()) columns.length();
      yield finding;
    }
  }
}

/** Resolves a relative index as `Array.prototype.slice` does. */
function resolved(index: number | undefined, missing: number, length: number): number {
  const whole = index === undefined ? missing : Math.trunc(index) || 0;
  return whole < 0 ? Math.max(length + whole, 0) : Math.min(whole, length);
}
