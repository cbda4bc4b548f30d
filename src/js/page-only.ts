// What the module needs in a page only, as the worker's script has it: a worker makes attempts, and neither rows, tables nor workers.

/** Rows are built in the page. */
export class Rows {}

/** Workers are started by the page. */
export class WorkerLink {}

/** Tables belong to the page. */
export function tableFrom(): never {
  throw new Error("a worker has no tables");
}

/** A worker fetches by itself. */
export function hostFetch(): never {
  throw new Error("a worker has no calls");
}
