// One load of a hook: a live table, from a store if there is one.

import type { FindingsClient } from "../client/client.js";
import type { TableOptions, WithColumns } from "../client/options.js";
import type { FindingsStore } from "../keep/findings-store.js";
import type { LiveTable } from "../live/live-table-types.js";
import type { Picked } from "../table/column-name.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../table/finding.js";

/** The options of the hooks: {@link TableOptions} and `store`. */
export interface HookOptions extends TableOptions {
  /**
   * The store of `inspection-findings/keep` that keeps the table for the next visit. Create it outside of components. The
   * option `from` has no effect then.
   *
   * @default none
   */
  store?: FindingsStore | undefined;
}

/** What a hook loads. */
export interface LoadArguments<Finding, Column extends string, Name extends string> {
  readonly client: FindingsClient<Finding, Column>;
  readonly inspectionKey: InspectionKey;
  readonly kind: FindingKind;
  readonly options: WithColumns<HookOptions, Finding, Name> | undefined;
}

/** Returns the error of a load whose client or store is none. A hook must not throw. */
export function refusalOf<Finding, Column extends string, Name extends string>({
  client,
  options,
}: LoadArguments<Finding, Column, Name>): TypeError | undefined {
  if (typeof client?.watchTable !== "function") return wrongType("client must be a FindingsClient", client);
  const { store } = split(options);
  if (store === undefined || typeof store.load === "function") return undefined;
  return wrongType("store must be what openStore() returns", store);
}

/** A live table that a hook controls before it exists: a store is read first. */
export class Load<Finding = InspectionFinding> {
  #live: LiveTable<Finding> | undefined;
  #isCancelled = false;
  #isOver = false;

  /**
   * @param reload whether to request everything, although the store has a table
   * @param onLive called with the live table, at once if there is no store
   */
  static begin<Finding, Column extends string, Name extends string>(
    { client, inspectionKey, kind, options }: LoadArguments<Finding, Column, Name>,
    reload: boolean,
    onLive: (live: LiveTable<Picked<Finding, Name>>) => void,
  ): Load<Picked<Finding, Name>> {
    const load = new Load<Picked<Finding, Name>>();
    const { store, rest } = split(options);
    const watch = () => load.#follow(client.watchTable<Name>(inspectionKey, kind, rest), onLive);
    const watchKept = async () => {
      // Strict mode ends the first load of a component before it has read anything.
      await undefined;
      if (load.#isOver) return;
      try {
        const loadOptions = { ...rest, reload } as WithColumns<TableOptions, Finding, Name>;
        load.#follow(
          await (store as FindingsStore).load<Finding, Column, Name>(client, inspectionKey, kind, loadOptions),
          onLive,
        );
      } catch (error) {
        // What `onError` of the store has thrown.
        watch();
        throw error;
      }
    };
    if (store === undefined) watch();
    else watchKept();
    return load;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#live?.cancel();
  }

  resume(): void {
    this.#isCancelled = false;
    this.#live?.resume();
  }

  /** Ends it. Returns whether it was loading. */
  end(): boolean {
    this.#isOver = true;
    const isLoading = this.#live?.getSnapshot().state === "loading";
    this.#live?.free();
    return isLoading;
  }

  #follow(live: LiveTable<Finding>, onLive: (live: LiveTable<Finding>) => void): void {
    // Nobody else gets this table.
    live.done.then((table) => table.free()).catch(() => {});
    if (this.#isOver) {
      live.free();
      return;
    }
    this.#live = live;
    if (this.#isCancelled) live.cancel();
    onLive(live);
  }
}

function wrongType(rule: string, value: unknown): TypeError {
  return new TypeError(`${rule}; got ${value === null ? null : typeof value}`);
}

/** Separates the store from the options of the call. */
function split<Finding, Name extends string>(
  options: WithColumns<HookOptions, Finding, Name> | undefined,
): { store?: FindingsStore | undefined; rest: WithColumns<TableOptions, Finding, Name> | undefined } {
  try {
    if (options === undefined || !("store" in options)) return { rest: options };
    const { store, ...rest } = options;
    return { store: store ?? undefined, rest: rest as WithColumns<TableOptions, Finding, Name> };
  } catch {
    // The live table fails with the error. A hook must not throw in an effect.
    return { rest: options };
  }
}
