// The order of rows and columns.

/** The English names of months. */
const MONTHS = "january february march april may june july august september october november december".split(" ");

/**
 * Returns for each key what it is sorted by, if the keys have a natural order: numbers, months, and texts that differ in their numbers or begin with
 * one, such as `Q1`, `Q4 2025`, `2026-04` and `1 star`.
 */
export function ownOrder(keys: readonly unknown[]): number[][] | undefined {
  if (keys.every((key) => typeof key === "number" || typeof key === "boolean")) return keys.map((key) => [Number(key)]);
  if (!keys.every((key) => typeof key === "string")) return undefined;
  const months = keys.map((key) => {
    const [, name, year = 0] = /^([a-z]{3,9})\.?(?: (\d{4}))?$/i.exec(key) ?? [];
    const month = name === undefined ? -1 : MONTHS.findIndex((month) => month.startsWith(name.toLowerCase()));
    return month < 0 ? undefined : [Number(year), month];
  });
  if (!months.includes(undefined)) return months as number[][];
  const frames = new Set(keys.map((key) => (/^-?\d/.test(key) ? "" : key.replace(/\d+/g, "0"))));
  const numbers = keys.map((key) => key.match(/^-?\d+(?:\.\d+)?|\d+/g)?.map(Number) ?? []);
  if (frames.size !== 1 || numbers.some(({ length }) => length === 0)) return undefined;
  // A year at the end comes before the quarter.
  const haveYears = keys.every((key) => /\D(?:19|20)\d\d$/.test(key));
  return haveYears ? numbers.map((own) => [...own.slice(-1), ...own.slice(0, -1)]) : numbers;
}

/** Compares lists of numbers. */
export function compareNumbers(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, at) => number !== other[at]);
  return at === -1 ? 0 : (one[at] as number) - (other[at] ?? Number.NEGATIVE_INFINITY);
}

/** The value of a key of one column, also where the key is a list of one. */
export function valueOfKey(key: unknown): unknown {
  return Array.isArray(key) && key.length === 1 ? key[0] : key;
}
