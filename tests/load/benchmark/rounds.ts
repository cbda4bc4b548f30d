/** Rounds of measurements, and their medians. */

/** By row and figure, the values of all rounds. */
export type Rows = Record<string, Record<string, number[]>>;

/**
 * Measures all names once in each round, in turns, so that none is always first. What an engine does not show is undefined or NaN.
 * @param count the number of rounds
 */
export async function inRounds(
  names: readonly string[],
  count: number,
  measure: (name: string) => Promise<Record<string, number | undefined>>,
) {
  const rows: Rows = Object.fromEntries(names.map((name) => [name, {}]));
  for (let round = 0; round < count; round++) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      for (const [figure, value] of Object.entries(await measure(name))) {
        if (value !== undefined && !Number.isNaN(value)) rows[name][figure] = [...(rows[name][figure] ?? []), value];
      }
    }
  }
  return rows;
}

/** The median; NaN without values. */
export function median(values: number[] = []) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}
