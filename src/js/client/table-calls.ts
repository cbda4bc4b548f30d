// The calls of a client for tables.

import type { EarlierTable } from "../engine/engine.js";
import { orUndefined } from "../host/member.js";
import { type Caller, Live, type LiveCall, type LiveRequest } from "../live/live-table.js";
import type { CallTarget } from "../table/call-target.js";
import { ofCall } from "../table/origin.js";
import { FindingsTable, tableOf } from "../table/table.js";
import type { TableCall } from "../table/table-call.js";
import { type AllFindings, type Call, type TableForm, withMore } from "./call.js";
import { type Calls, type Resume, resumable } from "./calls.js";
import { CheckedOptions } from "./options/checked-options.js";
import { checkEarlierTable, readEarlierTable } from "./options/earlier-table.js";
import { addTables } from "./options/option-table.js";
import type { CallSettings } from "./options/settings.js";
import type { Delivered, PartitionIterator } from "./stream.js";

addTables(readEarlierTable);

/** Makes the findings of a call tables. */
export const tables: TableForm = {
  check: (settings, target) => checkEarlierTable(settings.from, target, settings),
};

/** The calls for tables of one client. */
export class TableCalls {
  readonly calls: Calls;

  /** @param calls of the client */
  constructor(calls: Calls) {
    this.calls = calls;
  }

  partition<Result>(call: Call<Required<CallTarget>>): Promise<Result> {
    return this.calls.partition(call);
  }

  all<Result>(call: Call<AllFindings>): Promise<Result> {
    const { inspectionKey, kind } = call.target;
    const resume = this.calls.resumption(call);
    return this.calls.begin<Result>(call, (client, settings) =>
      resumable(client.loadTable(inspectionKey, kind, settings, earlierTableOf(settings)), resume),
    );
  }

  stream<Item extends Delivered>(call: Call<AllFindings>): PartitionIterator<Item> {
    return this.calls.stream(call);
  }

  /**
   * Creates a live table, whose call begins at once.
   *
   * @param isKept whether a store has kept the table that it begins with
   */
  live<Finding>(call: Call<AllFindings>, isKept = false): Live<Finding> {
    const caller: Caller = {
      first: (request) => this.#watch(request, call),
      next: (request, more) =>
        this.#watch(request, more === undefined ? this.#withoutAborted(call) : withMore(call, more)),
    };
    return new Live(caller, ofCall(call.target), this.#firstOf(call), isKept);
  }

  /** Returns a call for a table that a store may have kept. */
  tableCall<Finding>(call: Call<AllFindings>): TableCall<Live<Finding>> {
    const from = (table: unknown) => ({
      ...call,
      options: call.options.with(CheckedOptions.of({ from: table ?? null }, "table")),
    });
    const open = async (bytes: ArrayBuffer): Promise<FindingsTable<unknown>> => {
      const table: FindingsTable<unknown> = await FindingsTable.fromBytes(bytes);
      try {
        this.calls.settingsOf(from(table));
        return table;
      } catch (cause) {
        table.free();
        throw new Error("the kept bytes are those of another table", { cause });
      }
    };
    const watch = (kept: unknown) => this.live<Finding>(from(kept), kept !== undefined);
    return { wanted: orUndefined(() => this.calls.settingsOf(from(undefined))), open, watch };
  }

  /** Begins a call of a live table. */
  #watch({ run, ended, resume: resumeLive }: LiveRequest, call: Call<AllFindings>): LiveCall {
    const { calls } = this;
    const alone = calls.resumption(call);
    const resume: Resume = (state, more) => resumeLive(more ?? {}) ?? alone(state, more);
    const promise = calls.begin<FindingsTable<never>>(
      call,
      (client, settings) =>
        resumable(
          run(client, settings, () => earlierTableOf(settings)),
          resume,
        ),
      ended,
    );
    const signals = [ended, calls.signalOf(call)];
    return {
      promise,
      get isEnded() {
        return calls.isEnded(signals);
      },
      isAborted: (reason) => calls.isAborted(signals, reason),
    };
  }

  /** Returns the earlier table that a live table shows first. */
  #firstOf<Finding>(call: Call<AllFindings>): FindingsTable<Finding> | undefined {
    try {
      const { from } = this.calls.settingsOf(call);
      return from?.source && tableOf(from.source.table(), from.origin);
    } catch {
      // The call fails with this error.
      return undefined;
    }
  }

  /** Returns a call without a signal that has been aborted, which has ended the call before. */
  #withoutAborted<Target>(call: Call<Target>): Call<Target> {
    return this.calls.signalOf(call)?.aborted ? withMore(call, { signal: null }) : call;
  }
}

/** Returns the table that a call begins with. Fails if its instance has stopped. */
function earlierTableOf({ from }: CallSettings): EarlierTable | undefined {
  from?.source?.check();
  return from?.source;
}
