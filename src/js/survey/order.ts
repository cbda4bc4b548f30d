// The order of rows and columns.

/** The English names of months. */
const MONTHS = "january february march april may june july august september october november december".split(" ");

/**
 * Returns for each key what it is sorted by, if the keys have an order of their own: numbers, months, and texts that differ in their numbers or begin with
 * one, such as `Q1`, `2026-04` and `1 star`.
 */
export function ownOrder(keys: readonly unknown[]): number[][] | undefined {
  if (keys.every((key) => typeof key === "number" || typeof key === "boolean")) return keys.map((key) => [Number(key)]);
  if (!keys.every((key) => typeof key === "string")) return undefined;
  const months = keys.map((key) => {
    const [name] = /^[a-z]{3,9}(?=\.?$)/i.exec(key) ?? ["-"];
    return MONTHS.findIndex((month) => month.startsWith(name.toLowerCase()));
  });
  if (!months.includes(-1)) return months.map((month) => [month]);
  const frames = new Set(keys.map((key) => (/^-?\d/.test(key) ? "" : key.replace(/\d+/g, "0"))));
  const numbers = keys.map((key) => key.match(/^-?\d+(?:\.\d+)?|\d+/g)?.map(Number) ?? []);
  return frames.size === 1 && numbers.every(({ length }) => length > 0) ? numbers : undefined;
}

/** Compares lists of numbers. */
export function compareNumbers(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, at) => number !== other[at]);
  return at === -1 ? 0 : (one[at] as number) - (other[at] ?? Number.NEGATIVE_INFINITY);
}
