// JSON text that `JSON.parse` turns into the same value, `-0` and numbers beyond the doubles included.

/** Writes a value that `JSON.parse` has read. */
export function jsonOf(value: unknown): string {
  if (typeof value === "number") return numberOf(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf)}]`;
  return `{${Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${jsonOf(inner)}`)}}`;
}

function numberOf(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  return value > 0 ? "1e999" : "-1e999";
}
