// Where a store keeps bytes: in files, or in a database.

/** Bytes under names. A write replaces the bytes of its name as a whole, or fails and leaves them as they were. */
export interface ByteStorage {
  /** Reads the bytes of a name; undefined if there are none. */
  read(name: string): Promise<ArrayBuffer | undefined>;
  write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<unknown>;
  list(): Promise<StoredBytes[]>;
  remove(name: string): Promise<unknown>;
}

/** Bytes as a list shows them. */
export interface StoredBytes {
  readonly name: string;
  readonly size: number;
  /** When they were written: milliseconds since 1970. */
  readonly savedAt: number;
}

/** The name of the folder, of the database, and of the lock. */
export const NAME = "inspection-findings";

/** How long reading may take, in milliseconds, and how long a change: some browsers never answer. */
export const READING = 2_000;
const CHANGE = 60_000;

/** Opens the best storage of this browser. Touches nothing before it is called. Whatever does not answer in time rejects. */
export async function openStorage(): Promise<ByteStorage> {
  const storage = await within(READING, bestStorage());
  return {
    read: (name) => within(READING, storage.read(name)),
    write: (name, bytes) => within(CHANGE, storage.write(name, bytes)),
    list: () => storage.list(),
    remove: (name) => within(CHANGE, storage.remove(name)),
  };
}

/**
 * Removes everything from the files and from the database: an earlier visit may have used the other one. Rejects if one of them
 * refuses, after it has tried both.
 */
export async function clearStorages(): Promise<void> {
  const results = await Promise.allSettled([removeFiles(), within(CHANGE, removeDatabase())]);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** Settles like a promise, but rejects after some milliseconds. */
export async function within<Result>(milliseconds: number, promise: Promise<Result>): Promise<Result> {
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

async function bestStorage(): Promise<ByteStorage> {
  try {
    const root = await rootFolder();
    // Some engines cannot write files.
    if (root === undefined || !("createWritable" in FileSystemFileHandle.prototype)) return database;
    const files = await filesIn(root);
    // Nobody would see or remove what an earlier version of the browser, which could not write files, has kept there.
    removeDatabase().catch(() => {});
    return files;
  } catch {
    return database;
  }
}

/** Returns the folder of the origin; undefined where this page has no files. */
async function rootFolder(): Promise<FileSystemDirectoryHandle | undefined> {
  try {
    return await navigator.storage?.getDirectory?.();
  } catch (error) {
    // So the private windows of Firefox and of Safari refuse files, where none has ever been kept.
    if (["SecurityError", "UnknownError"].includes((error as DOMException)?.name)) return undefined;
    throw error;
  }
}

async function removeFiles(): Promise<void> {
  const root = await within(READING, rootFolder());
  if (root !== undefined) await within(CHANGE, root.removeEntry(NAME, { recursive: true }).catch(ignoreMissing));
}

async function filesIn(root: FileSystemDirectoryHandle): Promise<ByteStorage> {
  const folder = () => root.getDirectoryHandle(NAME, { create: true });
  await folder();
  return {
    async read(name) {
      const handle = await (await folder()).getFileHandle(name).catch(ignoreMissing);
      const file = await handle?.getFile();
      // A write that failed leaves a new file empty.
      return file?.size ? file.arrayBuffer() : undefined;
    },
    async write(name, bytes) {
      const handle = await (await folder()).getFileHandle(name, { create: true });
      // The file changes only when it is closed.
      const writable = await handle.createWritable();
      try {
        await writable.write(bytes);
        await writable.close();
      } catch (error) {
        await writable.abort().catch(() => {});
        throw error;
      }
    },
    async list() {
      const listed: StoredBytes[] = [];
      const handles = (await within(READING, folder())).values();
      // Each answer has its own limit: a thousand files take longer than one.
      for (;;) {
        const { done, value: handle } = await within(READING, handles.next());
        if (done) return listed;
        if (handle.kind !== "file") continue;
        const file = await within(READING, (handle as FileSystemFileHandle).getFile().catch(ignoreMissing));
        if (file !== undefined) listed.push({ name: file.name, size: file.size, savedAt: file.lastModified });
      }
    },
    remove: async (name) => (await folder()).removeEntry(name).catch(ignoreMissing),
  };
}

function ignoreMissing(error: DOMException): undefined {
  if (error.name !== "NotFoundError") throw error;
}

/** The keys have what a list shows, so that listing reads no bytes: the name, the time and the size. */
type Key = [name: string, savedAt: number, size: number];

const database: ByteStorage = {
  read: (name) => inDatabase("readonly", (store) => store.get(keysOf(name))),
  write: (name, bytes) =>
    inDatabase("readwrite", (store) => {
      store.delete(keysOf(name));
      return store.put(bytes.buffer, [name, Date.now(), bytes.length] satisfies Key);
    }),
  async list() {
    const keys = await within(
      READING,
      inDatabase<IDBValidKey[]>("readonly", (store) => store.getAllKeys()),
    );
    return keys.filter(isKey).map(([name, savedAt, size]) => ({ name, savedAt, size }));
  },
  remove: (name) => inDatabase("readwrite", (store) => store.delete(keysOf(name))),
};

/** Deletes the database as a whole, after all that use it. */
async function removeDatabase(): Promise<void> {
  await settled(indexedDB.deleteDatabase(NAME), "success", "error");
}

/** Another script of the origin may have written other keys. */
function isKey(key: unknown): key is Key {
  return Array.isArray(key) && typeof key[0] === "string" && key.slice(1, 3).every(Number.isFinite) && key.length === 3;
}

function keysOf(name: string): IDBKeyRange {
  return IDBKeyRange.bound([name], [name, []]);
}

/** Runs one transaction, so that what it does happens as a whole or not at all. */
async function inDatabase<Result>(
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => IDBRequest,
): Promise<Result> {
  const opening = indexedDB.open(NAME);
  opening.onupgradeneeded = () => opening.result.createObjectStore(NAME);
  await settled(opening, "success", "error");
  const database = opening.result;
  const transaction = database.transaction(NAME, mode);
  try {
    const request = use(transaction.objectStore(NAME));
    await settled(transaction, "complete", "abort");
    return request.result;
  } catch (error) {
    // After `use` has thrown, the transaction would commit what came before.
    if (transaction.error === null) transaction.abort();
    throw error;
  } finally {
    database.close();
  }
}

function settled(target: IDBRequest | IDBTransaction, success: string, failure: string): Promise<void> {
  return new Promise((resolve, reject) => {
    target.addEventListener(success, () => resolve());
    target.addEventListener(failure, () => reject(target.error));
  });
}
