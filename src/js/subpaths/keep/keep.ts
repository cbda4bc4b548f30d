// The entry that keeps tables in the browser for the next visit.

export {
  type FindingsStore,
  type KeepOptions,
  type KeptTable,
  openStore,
  type StoreOptions,
} from "./findings-store.js";
