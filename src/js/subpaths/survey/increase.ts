// A sum in a typed array.

/** Adds to one of the numbers of a list. */
export function increase(list: Float64Array | Int32Array, at: number, by: number): void {
  list[at] = (list[at] as number) + by;
}
