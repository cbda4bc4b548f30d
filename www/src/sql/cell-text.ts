/** The text of a value in the result of a query. */

/** The most characters of a value that are shown. */
const maxLength = 1000;

/**
 * The text of a value as the Arrow library reads it; null for SQL's NULL.
 *
 * @param type the name of its Arrow type, such as `Timestamp<MICROSECOND>`
 */
export function cellText(value: unknown, type: string): string | null {
  if (value === null || value === undefined) {
    return null;
  }
  const text = textOf(value, type);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function textOf(value: unknown, type: string): string {
  if (typeof value === "number" && type.startsWith("Timestamp")) {
    return new Date(value).toISOString();
  }
  if (typeof value === "number" && type.startsWith("Date")) {
    return new Date(value).toISOString().slice(0, "2000-01-01".length);
  }
  // Lists and structs of the library have their own text.
  return Object.is(value, -0) ? "-0" : String(value);
}
