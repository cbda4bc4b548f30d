// The name of a column: a dotted path, in which a backslash escapes a dot or a backslash inside a key. Rust reads and writes the same names
// (`chunk/value/column_name`).

/** Splits a name into its keys. A backslash before anything else is part of the key. */
export function keysOf(name: string): string[] {
  const keys = [""];
  for (const part of name.match(/\\[\\.]|\.|\\|[^\\.]+/g) ?? []) {
    if (part === ".") keys.push("");
    else keys.push(keys.pop() + (part.length > 1 ? part.replace(/^\\/, "") : part));
  }
  return keys;
}

/** Joins keys to a name. */
export function nameOf(keys: readonly string[]): string {
  return keys.map((key) => key.replace(/[\\.]/g, "\\$&")).join(".");
}

/** Whether the column of a name is another, or below it. */
export function isWithin(name: string, outer: string): boolean {
  // A backslash at the end of a name escapes nothing: it must not escape the dot here.
  const own = nameOf(keysOf(outer));
  return name === own || name.startsWith(`${own}.`);
}
