// The store: tables that stay in the browser for the next visit.

import { membersOf, type Remedies } from "../../core/argument/passed-object.js";
import { refusal, wrongType } from "../../core/argument/refusal.js";
import type { FindingsClient } from "../../core/client/client.js";
import type { TableOptions, WithColumns } from "../../core/client/options.js";
import { CallerContext } from "../../core/host/caller-context.js";
import type { LiveSnapshot, LiveTable } from "../../core/live/live-table-types.js";
import type { TableFinding } from "../../core/table/column-name.js";
import type { FindingKind, InspectionKey } from "../../core/table/finding.js";
import { KEPT_TABLE, type KeptTableLoader } from "../../core/table/kept-table.js";
import type { FindingsTable } from "../../core/table/table.js";
import { type ByteStorage, clearStorages, NAME, openStorage, READING, within } from "./byte-storage.js";

/** The options of {@link openStore}. */
export interface StoreOptions {
  /**
   * The user whose tables these are, for example an id from your session. A store shows, lists and replaces only the
   * tables of its owner. Two users of the same browser then never see each other's tables, even if a sign-out has cleared
   * nothing. A name of a kept file contains this text. `undefined` is a `TypeError`: open the store when the user is known.
   *
   * @default none: the tables that every store without an owner shows
   */
  owner?: string;
  /**
   * Called when the browser refuses or loses bytes, for example because no space is left, when it does not answer within
   * two seconds, or when the bytes are of another version of the package. The findings are loaded from the service then.
   *
   * @default none
   */
  onError?: ((error: unknown) => void) | undefined;
}

/** The options of {@link FindingsStore.load}: those of `watchTable` without `from`, and `reload`. */
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

/**
 * The name of a record that {@link FindingsStore.clear} removes. A load that misses at its end the record of its beginning keeps nothing. No clock
 * decides that: clocks can be set.
 */
const PERMIT = "permit";

/** What to do about an owner that is undefined. A page that does not know its user must not get the tables of everybody. */
const NOT_KNOWN =
  "the owner is not known yet; open the store when it is, or without the option owner for tables of everybody";

const REMEDIES: Remedies = { string: "pass { owner }", undefined: NOT_KNOWN };

/** What is kept under a name. */
interface Found {
  readonly table?: FindingsTable<unknown>;
  /** The size of bytes that could not be opened. */
  readonly unreadable?: number | undefined;
}

/** A load whose table is to be kept. */
interface KeptLoad {
  readonly name: string;
  /** The record of its beginning. */
  readonly permit: Promise<Uint8Array>;
  /** How often this page had removed everything. */
  readonly begun: number;
  readonly isComplete: boolean;
  /** The size of kept bytes that could not be opened. */
  readonly unreadable: number | undefined;
}

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
  constructor(options: StoreOptions) {
    const { owner, onError = () => {} } = membersOf(options, "options", ["owner", "onError"], { remedies: REMEDIES });
    if (owner === undefined && "owner" in options) throw refusal(`owner is undefined: ${NOT_KNOWN}`);
    if (owner !== undefined && (typeof owner !== "string" || owner === "")) {
      throw wrongType("owner", "a string that is not empty", owner);
    }
    if (typeof onError !== "function") throw wrongType("onError", "a function", onError);
    this.#owner = owner ?? "";
    this.#onError = onError as (error: unknown) => void;
  }

  /**
   * Shows what is kept of an inspection, and refreshes it. The first snapshot of the live table has the kept findings.
   * If the counts of the service are still the same, one request is all; otherwise the table is loaded and replaced.
   * Keeps the table as soon as it is complete. If loading ends before, keeps what has arrived, unless more is kept.
   *
   * Tables are kept by owner, base URL, inspection, kind and list of `columns`.
   *
   * If the service refuses the refresh with 401 or 403, the kept findings are no longer shown: the live table is empty,
   * its state is `"failed"`, and its error is that of the refused request, without findings. They stay in the browser until
   * somebody who may read the inspection has loaded it, or until {@link clear}. A `resume()`, also that of an earlier error,
   * requests everything.
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
  ): Promise<LiveTable<TableFinding<Finding, Kind, Names>>> {
    type Live = LiveTable<TableFinding<Finding, Kind, Names>>;
    const begun = clearings;
    const onError = this.#errorHandler();
    const call = callOf<Live>(client, inspectionKey, kind, options);
    const { wanted } = call;
    if (wanted === undefined) return call.watch(undefined);
    const name = nameOf([inspectionKey, kind, hashOf(wanted.columns), wanted.baseUrl, this.#owner]);
    const permit = this.#permit();
    const found = wanted.reload ? undefined : await this.#read(name, call, onError);
    // The user may have signed out meanwhile.
    const kept = clearings === begun ? found?.table : undefined;
    const live = call.watch(kept);
    const isNew = noveltyOf(kept?.length, wanted.reload);
    found?.table?.free();
    live.subscribe(() => {
      const snapshot = live.getSnapshot();
      if (!isNew(snapshot)) return;
      try {
        const isComplete = snapshot.state === "complete";
        const load = { name, permit, begun, isComplete, unreadable: found?.unreadable };
        this.#keep(call.copyOf(snapshot.table), load).catch(onError);
      } catch (error) {
        void onError(error);
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
    const onError = this.#errorHandler();
    try {
      // No file is removed meanwhile.
      const stored = await alone(async () => (await this.#open()).list());
      return stored.flatMap(({ name, size, savedAt }) => {
        // A write that failed leaves a new file empty.
        const about = size === 0 ? undefined : this.#about(name);
        return about ? [{ name, ...about, size, savedAt: new Date(savedAt) }] : [];
      });
    } catch (error) {
      await onError(error);
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
    await alone(async () => (await this.#open()).remove(name));
  }

  /**
   * Removes all tables, of all stores and owners of the origin, from the file system and from IndexedDB: call it when the user
   * signs out. Calls that are still loading, in other tabs too, keep nothing. Needs no space.
   *
   * @returns a promise that rejects if the browser refuses to remove some of them
   * @example
   * import { openStore } from "inspection-findings/keep";
   *
   * await openStore().clear();
   */
  async clear(): Promise<void> {
    clearings++;
    await alone(clearStorages);
  }

  /** Returns what calls `onError` where the caller has called a method. */
  #errorHandler(): (error: unknown) => Promise<void> {
    const context = new CallerContext();
    return (error) => context.run(() => this.#onError(error));
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

  /** Reads a table; undefined if there is none. */
  async #read(
    name: string,
    { open }: KeptTableLoader,
    onError: (error: unknown) => Promise<void>,
  ): Promise<Found | undefined> {
    let size: number | undefined;
    try {
      const bytes = await within(
        READING,
        this.#open().then((storage) => storage.read(name)),
      );
      size = bytes?.byteLength;
      return bytes && { table: await open(bytes) };
    } catch (error) {
      await onError(error);
      return { unreadable: size };
    }
  }

  /** Keeps a table, unless everything has been removed since its load began, or more of it is kept. Frees the table. */
  async #keep(table: FindingsTable<unknown>, load: KeptLoad): Promise<void> {
    const { name, permit, begun, isComplete, unreadable } = load;
    try {
      await alone(async () => {
        const storage = await this.#open();
        if (clearings !== begun || String(await permit) !== String(await permitIn(storage))) return;
        const bytes = table.toBytes();
        // Another load of the same table may have kept more meanwhile.
        const size = isComplete ? undefined : (await storage.read(name))?.byteLength;
        if (size === undefined || size < bytes.length || size === unreadable) await storage.write(name, bytes);
      });
    } finally {
      table.free();
    }
  }

  /** Returns the record that {@link clear} removes. Makes it if there is none. */
  #permit(): Promise<Uint8Array> {
    const permit = alone(async () => {
      const storage = await this.#open();
      const earlier = await permitIn(storage);
      if (earlier !== undefined) return earlier;
      const made = new Uint8Array(Float64Array.of(Date.now(), Math.random()).buffer);
      await storage.write(PERMIT, made);
      return made;
    });
    // Only a load that has something to keep reports it.
    permit.catch(() => {});
    return permit;
  }
}

/** Reads the record that every load needs to keep anything; undefined if there is none. */
async function permitIn(storage: ByteStorage): Promise<Uint8Array | undefined> {
  const bytes = await storage.read(PERMIT);
  return bytes && new Uint8Array(bytes);
}

/** Returns a function that says whether a snapshot has findings that are not kept. */
function noveltyOf(keptLength: number | undefined, isReload: boolean): (snapshot: LiveSnapshot<unknown>) => boolean {
  // It is not known how much a reload would replace.
  let most = isReload ? Number.POSITIVE_INFINITY : (keptLength ?? 0);
  return ({ state, table, progress }) => {
    // Somebody may have freed the table: then it has been kept already.
    if (state === "loading" || table.freed) return false;
    // A complete table without a body is the kept one, unless the inspection is now empty.
    const isNew = state === "complete" ? progress.bytes > 0 || table.length !== keptLength : table.length > most;
    if (isNew) most = table.length;
    return isNew;
  };
}

/** Runs a function alone: after all others of this page and, where the browser has locks, of other tabs, in the order of the calls. */
async function alone<Result>(run: () => Promise<Result>): Promise<Result> {
  if (navigator.locks) return navigator.locks.request(NAME, run);
  const result = uses.then(run);
  uses = result.catch(() => {});
  return result;
}

/** Makes the call of a client of any entry with tables. */
function callOf<Live>(
  client: Pick<FindingsClient, typeof KEPT_TABLE>,
  ...call: [inspectionKey: InspectionKey, kind: FindingKind, options: unknown]
): KeptTableLoader<Live> {
  if (typeof client?.[KEPT_TABLE] === "function") return client[KEPT_TABLE]<Live>(...call);
  throw refusal(
    "load() takes a FindingsClient of inspection-findings as its first argument; that of inspection-findings/objects has no tables",
  );
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
export function openStore(options?: StoreOptions): FindingsStore;
export function openStore(...passed: [options?: StoreOptions]): FindingsStore {
  // An undefined argument may be the options of a user who is not known yet.
  return new FindingsStore(passed.length === 0 ? {} : (passed[0] as StoreOptions));
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
  return [...columns].map(BigInt).reduce((hash, byte) => BigInt.asUintN(64, (hash ^ byte) * 0x100000001b3n), OFFSET);
}
