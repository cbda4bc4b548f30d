// JSON without loss: also of −0 and the infinities, which `JSON.stringify` changes.

/** The text from which `JSON.parse` makes the same value again, for every result of `JSON.parse`. A `bigint` is written as an integer. */
export function jsonText(value: unknown): string {
  return isKept(value) ? JSON.stringify(value) : spelled(value);
}

/** A number as JSON. */
export function numberText(value: number): string {
  if (Number.isFinite(value)) {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  // `JSON.parse` reads any number beyond the largest double as an infinity.
  return value > 0 ? "1e999" : "-1e999";
}

/** Whether `JSON.stringify` loses nothing of a value, which is nearly always so. */
function isKept(value: unknown): boolean {
  if (typeof value === "number") {
    return Number.isFinite(value) && !Object.is(value, -0);
  }
  if (typeof value === "bigint") return false;
  return typeof value !== "object" || value === null || Object.values(value).every(isKept);
}

function spelled(value: unknown): string {
  if (typeof value === "number") {
    return numberText(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map(spelled).join()}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${spelled(member)}`);
    return `{${members.join()}}`;
  }
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}
