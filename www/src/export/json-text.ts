/** JSON text without loss: also of the two kinds of number that `JSON.stringify` changes, −0 and those beyond the largest. */

/** The text from which `JSON.parse` makes the same value, for every value that came from there. */
export function jsonText(value: unknown): string {
  return isKept(value) ? JSON.stringify(value) : spelled(value);
}

/** The number as JSON writes it. */
export function numberText(value: number): string {
  if (Number.isFinite(value)) {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  // What is beyond the largest number was written with such an exponent, and is read as infinite again.
  return value > 0 ? "1e999" : "-1e999";
}

/** Whether `JSON.stringify` keeps the value as it is, which is nearly always so. */
function isKept(value: unknown): boolean {
  if (typeof value === "number") {
    return Number.isFinite(value) && !Object.is(value, -0);
  }
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
  return JSON.stringify(value);
}
