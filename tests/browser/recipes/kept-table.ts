/** The recipe for showing a kept table at once, and the current one as soon as it is there. */

import {
  type FindingKind,
  type FindingsClient,
  FindingsError,
  FindingsTable,
  type PartitionChange,
} from "inspection-findings";
import type { TableStore } from "./table-store";

export async function showFindings(
  client: FindingsClient,
  inspectionKey: number,
  kind: FindingKind,
  store: TableStore,
  show: (table: FindingsTable) => void,
): Promise<FindingsTable> {
  const name = `${inspectionKey}-${kind}`;
  const kept = await readTable(store, name);
  if (kept) show(kept);
  let isNew = false;
  const onPartition = ({ index }: PartitionChange) => {
    if (index !== null) isNew = true;
  };
  try {
    const table = await client.loadTable(inspectionKey, kind, { from: kept, onPartition, failurePolicy: "collect" });
    show(table);
    kept?.free();
    if (isNew) await keepTable(store, name, table);
    return table;
  } catch (error) {
    // What has arrived spares the next visit these requests.
    if (error instanceof FindingsError && error.code === "partial" && error.table) {
      await keepTable(store, name, error.table);
      error.table.free();
    }
    throw error;
  }
}

async function readTable(store: TableStore, name: string): Promise<FindingsTable | undefined> {
  const bytes = await store.read(name).catch(() => undefined);
  if (bytes === undefined) return undefined;
  return FindingsTable.fromBytes(bytes).catch((error) => {
    // Another version of the package, or damage: as if nothing had been kept.
    if (error instanceof FindingsError && error.code === "bytes") return undefined;
    throw error;
  });
}

async function keepTable(store: TableStore, name: string, table: FindingsTable): Promise<void> {
  try {
    await store.write(name, table.toBytes());
  } catch (error) {
    // No quota is left, or the user forbids storage: the page works without.
    console.warn(error);
  }
}
