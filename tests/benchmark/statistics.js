/** Statistics over rounds. */

/** @typedef {Record<string, number | undefined>} Figures by their headings; undefined or NaN where an engine does not show one */
/** @typedef {Record<string, Record<string, number[]>>} Rows by row and figure, the values of all rounds */

/**
 * The median; NaN without values.
 * @param {number[]} [values]
 */
export function median(values = []) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

/**
 * Measures all names once in each round, in turns, so that none is always first.
 * @template {string} Name
 * @param {readonly Name[]} names
 * @param {number} count the number of rounds
 * @param {(name: Name) => Promise<Figures>} measure
 * @param {(what: string) => void} [note] prints a message
 */
export async function inRounds(names, count, measure, note = () => {}) {
  /** @type {Rows} */
  const rows = Object.fromEntries(names.map((name) => [name, {}]));
  for (let round = 0; round < count; round++) {
    note(`round ${round + 1} of ${count}`);
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      for (const [figure, value] of Object.entries(await measure(name))) {
        if (value !== undefined && !Number.isNaN(value)) rows[name][figure] = [...(rows[name][figure] ?? []), value];
      }
    }
  }
  return rows;
}

/**
 * Times work in memory, after a round that warms up.
 * @template Result
 * @param {Record<string, () => Result | Promise<Result>>} ways
 * @param {number} rounds
 * @param {(result: Result, way: string) => void} check
 */
export async function timeWays(ways, rounds, check) {
  const measure = async (/** @type {string} */ way) => {
    globalThis.gc?.();
    const begin = performance.now();
    const result = await ways[way]();
    const ms = performance.now() - begin;
    check(result, way);
    return { ms };
  };
  await inRounds(Object.keys(ways), 1, measure);
  return inRounds(Object.keys(ways), rounds, measure);
}
