// What a message adds about a name that is none of those there are.

/** The names that a message lists. */
const SHOWN = 30;

/**
 * Returns the name that was probably meant, and all names.
 *
 * @param what the names are, such as `the columns`
 */
export function hintOf(name: string, names: readonly string[], what: string): string {
  const meant = names.find((known) => lettersOf(known) === lettersOf(name));
  const question = meant === undefined ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
  const shown = names.slice(0, SHOWN).map((known) => JSON.stringify(known));
  const others = names.length > SHOWN ? `, and ${names.length - SHOWN} more` : "";
  return `${question}; ${what} are ${shown.join(", ") || "none"}${others}`;
}

/** A name without its case, which DuckDB, Spark and Excel ignore: they take names for one that differ by it alone. */
export function folded(name: string): string {
  return name.toLowerCase();
}

/** What stays the same where spaces, underscores or the case differ. */
function lettersOf(name: string): string {
  return folded(name).replace(/[^\p{L}\p{M}\p{N}]/gu, "");
}
