/** Statistics over rounds. */

/**
 * The median; undefined without values.
 * @param {number[]} values
 */
export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return sorted.length === 0 ? undefined : (lower + upper) / 2;
}

/**
 * The medians of measurements, by name.
 * @template {string} Name
 * @param {Record<Name, number>[]} measurements
 * @returns {Record<Name, number>}
 */
export function medians(measurements) {
  const names = /** @type {Name[]} */ (Object.keys(measurements[0] ?? {}));
  const entries = names.map((name) => [name, median(measurements.map((measurement) => measurement[name]))]);
  return Object.fromEntries(entries);
}

/**
 * Rotates items by the round, so that none is always first.
 * @template Item
 * @param {Item[]} items
 * @param {number} round
 */
export function rotated(items, round) {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
