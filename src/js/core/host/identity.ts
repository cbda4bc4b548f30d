// The identity of a value of a finding: equal values have the same one.

/** A text that two values share if they are equal. */
export function identityOf(value: unknown): string {
  // JSON writes an infinity as null.
  return `${typeof value} ${typeof value === "number" ? value : JSON.stringify(value)}`;
}
