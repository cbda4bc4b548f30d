// The store: tables that stay in the browser for the next visit.

import type { FindingsClient } from "../client/client.js";
import type { TableOptions, WithColumns } from "../client/options.js";
import type { LiveTable } from "../live/live-table-types.js";
import type { CallFinding } from "../table/column-name.js";
import type { FindingKind, InspectionKey } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import { TABLE_CALL, type TableCall } from "../table/table-call.js";
import { type ByteStorage, NAME, openStorage, READING, type StoredBytes, within } from "./byte-storage.js";

/** The options of {@link openStore}. */
export interface StoreOptions {
  /**
   * The user whose tables these are, for example an id from your session. A store shows, lists and replaces only the
   * tables of its owner. Two users of the same browser then never see each other's tables, even if a sign-out has cleared
   * nothing. A name of a kept file contains this text.
   *
   * @default none: the tables that every store without an owner shows
   */
  owner?: string | undefined;
  /**
   * Called when the browser refuses or loses bytes, for example because no space is left, when it does not answer within
   * two seconds, or when the bytes are of another version of the package. The findings are loaded from the service then.
   *
   * @default none
   */
  onError?: ((error: unknown) => void) | undefined;
}

/** The options of {@link FindingsStore.load}: those of `watchTable` without `from`, `growth` included, and `reload`. */
export interface KeepOptions extends Omit<TableOptions, "from"> {
  /**
   * Whether to request everything, although a table is kept.
   *
   * @default false
   */
  reload?: boolean | undefined;
}

/** A table that the browser keeps, in the list of {@link FindingsStore.list}. */
export interface KeptTable {
  /** What {@link FindingsStore.remove} knows it by. */
  readonly name: string;
  /** The base URL of the service. */
  readonly baseUrl: string;
  /** The inspection, in decimal digits. */
  readonly inspectionKey: string;
  readonly kind: FindingKind;
  /** The size in bytes. */
  readonly size: number;
  /** When it was saved. */
  readonly savedAt: Date;
}

/** The name of a record whose time says when everything was removed last. */
const CLEARED = "cleared";

/** The hash of no bytes. */
const OFFSET = 0xcbf29ce484222325n;

/** How often this page has removed everything. */
let clearings = 0;

/** Settles after the last use by this page. */
let uses: Promise<unknown> = Promise.resolve();

/**
 * Tables that stay in this browser for the next visit, returned by {@link openStore}. They are kept in the origin
 * private file system, or in IndexedDB where a page cannot write files.
 *
 * Every script of the origin can read them, and everyone with this account of the computer: call {@link clear} when the
 * user signs out.
 */
export class FindingsStore {
  readonly #owner: string;
  readonly #onError: (error: unknown) => void;
  #storage: Promise<ByteStorage> | undefined;

  /** @internal */
  constructor({ owner, onError = () => {} }: StoreOptions) {
    // A page that does not know its user must not get the tables of everybody.
    if (owner !== undefined && (typeof owner !== "string" || owner === "")) {
      throw new TypeError("owner must be a string that is not empty");
    }
    this.#owner = owner ?? "";
    this.#onError = onError;
  }

  /**
   * Shows what is kept of an inspection, and refreshes it. The first snapshot of the live table has the kept findings.
   * If the counts of the service are still the same, one request is all; otherwise the table is loaded and replaced.
   * Keeps the table as soon as it is complete. If loading ends before, keeps what has arrived, unless more is kept.
   *
   * Tables are kept by owner, base URL, inspection, kind and list of `columns`.
   *
   * If the service refuses the refresh with 401 or 403, the kept findings are no longer shown: the live table is empty,
   * and its state `"failed"`. They stay in the browser until somebody who may read the inspection has loaded it, or until
   * {@link clear}. A `resume()` requests everything.
   *
   * Warning: the service has no versions. If an inspection is re-analysed and its totals stay the same, the store cannot
   * tell, and shows the kept findings. Offer a `reload`.
   *
   * @returns a promise of the live table, which takes as long as reading the bytes, two seconds at most. A failure of the
   * storage is no failure of the call: then everything is requested, and `onError` is called.
   * @example
   * import { openStore } from "inspection-findings/keep";
   *
   * const store = openStore();
   * using live = await store.load(client, 42, "sentiment");
   * for await (const { state, table } of live) console.log(state, table.countBy("TopicGroup"));
   */
  async load<Finding, const Names extends readonly string[] = never, Kind extends FindingKind = FindingKind>(
    client: FindingsClient<Finding>,
    inspectionKey: InspectionKey,
    kind: Kind,
    options?: WithColumns<KeepOptions, Finding, Names>,
  ): Promise<LiveTable<CallFinding<Finding, Kind, Names>>> {
    if (typeof client?.watchTable !== "function") {
      throw new TypeError(
        "load() takes a FindingsClient of inspection-findings as its first argument; that of inspection-findings/light has no tables",
      );
    }
    const begun = Date.now();
    const clearingsBefore = clearings;
    const { reload = false, ...others } = { ...options };
    const watch = (from?: FindingsTable<unknown>) =>
      client.watchTable<Names, Kind>(inspectionKey, kind, { ...others, from: from ?? null } as WithColumns<
        TableOptions,
        Finding,
        Names
      >);
    let call: TableCall;
    try {
      call = client[TABLE_CALL](inspectionKey, kind, { ...others, from: null });
    } catch {
      // The live table fails with this error.
      return watch();
    }
    const name = nameOf([inspectionKey, kind, hashOf(call.columns), call.baseUrl, this.#owner]);
    const read = reload ? undefined : await this.#read(name, call);
    // The user may have signed out meanwhile.
    const kept = clearings === clearingsBefore ? read : undefined;
    const live = watch(kept);
    const keptLength = kept?.length;
    // It is not known how much a reload would replace.
    let most = reload ? Number.POSITIVE_INFINITY : (keptLength ?? 0);
    read?.free();
    live.subscribe(() => {
      const { state, table, progress, error } = live.getSnapshot();
      const isComplete = state === "complete";
      // Somebody may have freed the table: then it has been kept already.
      if (state === "loading" || table.freed) return;
      if (kept !== undefined && isRefusal(error)) {
        call.forget(live);
        return;
      }
      // A complete table without a body is the kept one, unless the inspection is now empty.
      const isNew = isComplete ? progress.bytes > 0 || table.length !== keptLength : table.length > most;
      if (!isNew) return;
      most = table.length;
      try {
        const bytes = table.toBytes();
        this.#alone(async (storage) => {
          const stored = await storage.list();
          const cleared = stored.find(({ name }) => name === CLEARED);
          const isCleared = clearings !== clearingsBefore || (cleared && cleared.savedAt > begun);
          // Another load of the same table may have kept more meanwhile.
          const hasMore = (other: StoredBytes) =>
            other.name === name && other.savedAt >= begun && other.size >= bytes.length;
          if (!isCleared && (isComplete || !stored.some(hasMore))) await storage.write(name, bytes);
        }).catch(this.#onError);
      } catch (error) {
        this.#onError(error);
      }
    });
    return live;
  }

  /**
   * Lists the tables that this browser keeps, with their sizes and ages. Waits for the changes that this tab, or another
   * one, is making.
   *
   * @returns the tables; none if the browser refuses to list them
   * @example
   * import { openStore } from "inspection-findings/keep";
   *
   * const kept = await openStore().list();
   * console.log(kept.reduce((sum, { size }) => sum + size, 0) / 1e6, "MB");
   */
  async list(): Promise<KeptTable[]> {
    try {
      // No file is removed meanwhile.
      const stored = await this.#alone((storage) => storage.list());
      return stored.flatMap(({ name, size, savedAt }) => {
        // A write that failed leaves a new file empty.
        const about = size === 0 ? undefined : this.#about(name);
        return about ? [{ name, ...about, size, savedAt: new Date(savedAt) }] : [];
      });
    } catch (error) {
      this.#onError(error);
      return [];
    }
  }

  /**
   * Removes one table.
   *
   * @param kept from {@link list}, or a copy
   * @returns a promise that rejects if the browser refuses
   * @example
   * import { openStore } from "inspection-findings/keep";
   *
   * const store = openStore();
   * const monthAgo = Date.now() - 30 * 86_400_000;
   * for (const kept of await store.list()) if (+kept.savedAt < monthAgo) await store.remove(kept);
   */
  async remove(kept: Pick<KeptTable, "name">): Promise<void> {
    const name: unknown = kept?.name;
    if (typeof name !== "string" || !this.#about(name)) throw new TypeError("remove() takes a table of list()");
    await this.#alone((storage) => storage.remove(name));
  }

  /**
   * Removes all tables, of all stores and owners of the origin: call it when the user signs out. Calls that are still loading, in
   * other tabs too, keep nothing.
   *
   * @returns a promise that rejects if the browser refuses
   * @example
   * import { openStore } from "inspection-findings/keep";
   *
   * await openStore().clear();
   */
  async clear(): Promise<void> {
    clearings++;
    await this.#alone(async (storage) => {
      await storage.clear();
      await storage.write(CLEARED, new Uint8Array());
    });
  }

  /** Opens the storage. Tries again after a failure. */
  async #open(): Promise<ByteStorage> {
    this.#storage ??= openStorage();
    try {
      return await this.#storage;
    } catch (error) {
      this.#storage = undefined;
      throw error;
    }
  }

  /** What a name says; undefined for a name of another script or owner. */
  #about(name: string): Pick<KeptTable, "inspectionKey" | "kind" | "baseUrl"> | undefined {
    const [inspectionKey = "", kind, , baseUrl = "", owner] = partsOf(name);
    if (!baseUrl.endsWith("/") || owner !== this.#owner) return undefined;
    return { inspectionKey, kind: kind as FindingKind, baseUrl };
  }

  async #read(name: string, { open }: TableCall): Promise<FindingsTable<unknown> | undefined> {
    try {
      const bytes = await within(
        READING,
        this.#open().then((storage) => storage.read(name)),
      );
      return bytes && (await open(bytes));
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  /** Uses the storage alone: after all other changes of this page and, where the browser has locks, of other tabs. */
  #alone<Result>(use: (storage: ByteStorage) => Promise<Result>): Promise<Result> {
    const run = async () => use(await this.#open());
    const used = uses.then(() => (navigator.locks ? navigator.locks.request(NAME, run) : run()));
    uses = used.catch(() => {});
    return used;
  }
}

/**
 * Opens the store of tables of this origin. Touches nothing until its first use, so you can call it outside of
 * components, and on a server.
 *
 * @example
 * import { openStore } from "inspection-findings/keep";
 *
 * const store = openStore({ onError: (error) => console.warn(error) });
 */
export function openStore(options: StoreOptions = {}): FindingsStore {
  return new FindingsStore(options);
}

/** Whether the service has refused a call to its user. */
function isRefusal(error: unknown): boolean {
  const { code, failures } = (error ?? {}) as { code?: unknown; failures?: readonly { error: unknown }[] };
  return code === "unauthorized" || (code === "partial" && failures?.some(({ error }) => isRefusal(error)) === true);
}

/**
 * Writes the name of a table. It has no header, so no token, and no character that file systems refuse, or take for
 * another one.
 */
function nameOf(parts: readonly unknown[]): string {
  const escaped = (character: string) => `_${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return parts.map((part) => `${part}`.replace(/[^a-z0-9.-]/g, escaped)).join(",");
}

function partsOf(name: string): string[] {
  const parts = name.split(",");
  return parts.map((part) => part.replace(/_(.{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))));
}

/** The hash of a list of columns; empty without one. */
function hashOf(columns: Uint8Array | undefined): bigint | "" {
  if (columns === undefined) return "";
  // FNV-1a. Shorter hashes of some short names are equal.
  return Array.from(columns, BigInt).reduce((hash, byte) => BigInt.asUintN(64, (hash ^ byte) * 0x100000001b3n), OFFSET);
}
