// What a message adds about a name that is none of those there are.

/** The names that a message lists. */
const SHOWN = 30;

/** The characters of a name that are compared, so that long names cost little. */
const MAX_LENGTH = 64;

/**
 * Returns the name that was probably meant, and all names.
 *
 * @param name undefined if it has to stay secret
 * @param what the names are, such as `the columns`
 */
export function hintOf(
  name: string | undefined,
  names: readonly string[],
  what: string,
  quoted: (name: string) => string = JSON.stringify,
): string {
  const meant = name === undefined ? undefined : nearest(name, names);
  const question = meant === undefined ? "" : ` (did you mean ${quoted(meant)}?)`;
  const shown = names.slice(0, SHOWN).map((known) => quoted(known));
  const others = names.length > SHOWN ? `, and ${names.length - SHOWN} more` : "";
  return `${question}; ${what} are ${shown.join(", ") || "none"}${others}`;
}

/** A name without its case, which DuckDB, Spark and Excel ignore: they take names for one that differ by it alone. */
export function folded(name: string): string {
  return name.toLowerCase();
}

/** The first of the names with the fewest typing errors, at most one in three characters. Tables have the same rule for their columns. */
function nearest(wrong: string, names: readonly string[]): string | undefined {
  const most = Math.floor([...wrong].length / 3);
  const near = names.map((name) => [distanceOf(folded(wrong), folded(name)), name] as const);
  return near.filter(([distance]) => distance <= most).sort(([one], [other]) => one - other)[0]?.[1];
}

/** How many characters to insert, remove or replace for the other text. */
function distanceOf(one: string, other: string): number {
  if (Math.max(one.length, other.length) > MAX_LENGTH) return one === other ? 0 : Number.POSITIVE_INFINITY;
  const letters = [...other];
  let row = Array.from({ length: letters.length + 1 }, (_, at) => at);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, letter] of letters.entries()) {
      const replaced = (row[at] as number) + (character === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] as number) + 1, (next[at] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}
