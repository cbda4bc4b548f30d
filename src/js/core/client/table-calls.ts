// The calls of a client for tables.

import { orUndefined } from "../host/member.js";
import type { KeptTableLoader } from "../table/kept-table.js";
import { FindingsTable, tableOf } from "../table/table.js";
import type { AllFindings, Call, TableForm } from "./call.js";
import type { Calls } from "./calls.js";
import { Live } from "./live-table.js";
import { CheckedOptions } from "./options/checked-options.js";
import { checkEarlierTable, type PassedTable, readEarlierTable } from "./options/earlier-table.js";

/** Makes the findings of a call tables. */
export const tables: TableForm = {
  readFrom: readEarlierTable,
  check: (settings, target) => checkEarlierTable(settings.from, target, settings),
};

/** Loads all findings of one kind as a table. */
export function loadTable<Result>(calls: Calls, call: Call<AllFindings>): Promise<Result> {
  const { inspectionKey, kind } = call.target;
  return calls.all<Result>(call, (client, settings) => {
    const earlier = settings.from?.source;
    // Fails if its instance has stopped.
    earlier?.check();
    return client.loadTable(inspectionKey, kind, settings, earlier);
  });
}

/**
 * Creates a live table, whose call begins at once.
 *
 * @param isKept whether a store has kept the table that it begins with
 */
export function watchTable<Finding>(calls: Calls, call: Call<AllFindings>, isKept = false): Live<Finding> {
  return new Live(calls, call, firstTableOf<Finding>(calls, call), isKept);
}

/** Loads a table that a store may have kept. */
export function keptTable<Finding>(calls: Calls, call: Call<AllFindings>): KeptTableLoader<Live<Finding>> {
  const wanted = orUndefined(() => calls.settingsOf(call));
  // The page may move on while the table is read.
  const from = (table: unknown) => {
    const more = { from: table ?? null, ...(wanted && { baseUrl: wanted.baseUrl }) };
    return call.with(CheckedOptions.of(more, "table", readEarlierTable));
  };
  const open = async (bytes: ArrayBuffer): Promise<FindingsTable<unknown>> => {
    const table: FindingsTable<unknown> = await FindingsTable.fromBytes(bytes);
    try {
      calls.settingsOf(from(table));
      return table;
    } catch (cause) {
      table.free();
      throw new Error("the kept bytes are those of another table", { cause });
    }
  };
  const watch = (kept: unknown) => watchTable<Finding>(calls, from(kept), kept !== undefined);
  return { wanted, open, copyOf, watch };
}

/** Returns the earlier table that a live table shows first. */
function firstTableOf<Finding>(calls: Calls, call: Call<AllFindings>): FindingsTable<Finding> | undefined {
  // The call fails with the error.
  return orUndefined(() => passedTable(calls.settingsOf(call).from));
}

function copyOf(table: FindingsTable<unknown>): FindingsTable<unknown> {
  // What has findings has columns to share.
  return passedTable(readEarlierTable(table, "table")) as FindingsTable<unknown>;
}

/** Returns another table with the columns of one that a caller has passed. */
function passedTable<Finding>(passed: PassedTable | undefined): FindingsTable<Finding> | undefined {
  return passed?.source && tableOf(passed.source.table(), passed.origin);
}
