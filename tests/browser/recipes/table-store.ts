/** The recipe for keeping tables: bytes in files of the origin, or in IndexedDB where a page cannot write files. */

const NAME = "findings";

export interface TableStore {
  read(name: string): Promise<ArrayBuffer | undefined>;
  write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Deletes everything. */
  clear(): Promise<void>;
}

export async function openTableStore(): Promise<TableStore> {
  // Some engines lack the function or a writable file, and private windows may refuse both.
  const root = await navigator.storage?.getDirectory?.().catch(() => undefined);
  return root && "createWritable" in FileSystemFileHandle.prototype ? filesIn(root) : databaseStore();
}

function filesIn(root: FileSystemDirectoryHandle): TableStore {
  const folder = () => root.getDirectoryHandle(NAME, { create: true });
  return {
    async read(name) {
      const file = await (await folder()).getFileHandle(name).catch(() => undefined);
      return (await file?.getFile())?.arrayBuffer();
    },
    async write(name, bytes) {
      const file = await (await folder()).getFileHandle(name, { create: true });
      // The file changes only when it is closed, so it is never half written.
      const writable = await file.createWritable();
      try {
        await writable.write(bytes);
        await writable.close();
      } catch (error) {
        await writable.abort().catch(() => {});
        throw error;
      }
    },
    async clear() {
      await root.removeEntry(NAME, { recursive: true }).catch((error) => {
        if (error.name !== "NotFoundError") throw error;
      });
    },
  };
}

function databaseStore(): TableStore {
  return {
    read: (name) => inDatabase("readonly", (store) => store.get(name)),
    write: (name, bytes) => inDatabase("readwrite", (store) => store.put(bytes.buffer, name)),
    clear: () => inDatabase("readwrite", (store) => store.clear()),
  };
}

async function inDatabase<Result>(
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => IDBRequest,
): Promise<Result> {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(NAME);
  await settled(opening, "success");
  const database = opening.result;
  try {
    const transaction = database.transaction(NAME, mode);
    const request = use(transaction.objectStore(NAME));
    await settled(transaction, "complete");
    return request.result;
  } finally {
    database.close();
  }
}

function settled(target: IDBRequest | IDBTransaction, event: "success" | "complete"): Promise<void> {
  return new Promise((resolve, reject) => {
    target.addEventListener(event, () => resolve());
    for (const failure of ["error", "abort"]) target.addEventListener(failure, () => reject(target.error));
  });
}
