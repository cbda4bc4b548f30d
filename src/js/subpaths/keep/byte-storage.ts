// Where a store keeps bytes: in a database of the browser.

import { orUndefined } from "../../core/host/member.js";
import { ignoreRejection } from "../../core/host/promise.js";

/** Bytes as a list shows them. */
export interface StoredBytes {
  readonly name: string;
  readonly size: number;
  /** When they were written: milliseconds since 1970. */
  readonly savedAt: number;
}

/** The name of the database, and of the lock. */
export const NAME = "inspection-findings";

/** How long reading may take, in milliseconds, and how long a change: some browsers never answer. */
const READING = 2_000;
const CHANGE = 60_000;

/** The size of a piece. The browser copies one in a task of the page, which would wait for all bytes at once. */
const PIECE = 1 << 20;

/** The key of a piece has what a list shows, so that listing reads no bytes: the name, the time and the size; and where it begins. */
type Key = [name: string, savedAt: number, size: number, at: number];

/** Reads the bytes of a name; undefined if there are none. */
export function readBytes(name: string): Promise<ArrayBuffer | undefined> {
  const reading = inDatabase("readonly", async (store) => {
    const keys = (await resultOf(store.getAllKeys(keysOf(name)))).filter(isKey);
    const bytes = new Uint8Array(keys[0]?.[2] ?? 0);
    const read = async (key: Key) => bytes.set(new Uint8Array(await resultOf<ArrayBuffer>(store.get(key))), key[3]);
    await Promise.all(keys.map(read));
    return keys.length === 0 ? undefined : bytes.buffer;
  });
  return within(READING, reading);
}

/** Replaces the bytes of a name as a whole, or fails and leaves them as they were. */
export function writeBytes(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const [savedAt, size] = [Date.now(), bytes.length];
  const writing = inDatabase("readwrite", async (store) => {
    await resultOf(store.delete(keysOf(name)));
    for (let at = 0; at < size; at += PIECE) {
      const key: Key = [name, savedAt, size, at];
      await resultOf(store.put(bytes.slice(at, at + PIECE).buffer, key));
    }
  });
  return within(CHANGE, writing);
}

export async function listBytes(): Promise<StoredBytes[]> {
  const keys = await within(
    READING,
    inDatabase("readonly", (store) => resultOf(store.getAllKeys())),
  );
  return keys.filter(isKey).flatMap(([name, savedAt, size, at]) => (at === 0 ? { name, savedAt, size } : []));
}

export function removeBytes(name: string): Promise<void> {
  return within(
    CHANGE,
    inDatabase("readwrite", (store) => resultOf(store.delete(keysOf(name)))),
  );
}

/** Deletes the database as a whole, after all that use it. */
export async function removeAll(): Promise<void> {
  await within(CHANGE, resultOf(indexedDB.deleteDatabase(NAME)));
}

/** Settles like a promise, but rejects after some milliseconds. */
async function within<Result>(milliseconds: number, promise: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `The browser's storage has not answered within ${milliseconds / 1_000} seconds.`;
    timer = setTimeout(() => reject(new DOMException(message, "TimeoutError")), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Another script of the origin may have written other keys. */
function isKey(key: unknown): key is Key {
  return Array.isArray(key) && typeof key[0] === "string" && key.slice(1, 4).every(Number.isFinite) && key.length === 4;
}

function keysOf(name: string): IDBKeyRange {
  return IDBKeyRange.bound([name], [name, []]);
}

/** Runs one transaction, so that what it does happens as a whole or not at all. */
async function inDatabase<Result>(
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => Promise<Result>,
): Promise<Result> {
  const opening = indexedDB.open(NAME);
  opening.onupgradeneeded = () => opening.result.createObjectStore(NAME);
  const database = await resultOf(opening);
  const transaction = database.transaction(NAME, mode);
  const ended = settled(transaction, "complete", "abort");
  ignoreRejection(ended);
  try {
    const result = await use(transaction.objectStore(NAME));
    await ended;
    return result;
  } catch (error) {
    // After `use` has thrown, the transaction would commit what came before. It may have ended already.
    orUndefined(() => transaction.abort());
    throw error;
  } finally {
    database.close();
  }
}

async function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  await settled(request, "success", "error");
  return request.result;
}

function settled(target: IDBRequest | IDBTransaction, success: string, failure: string): Promise<void> {
  return new Promise((resolve, reject) => {
    target.addEventListener(success, () => resolve());
    target.addEventListener(failure, () => reject(target.error));
  });
}
