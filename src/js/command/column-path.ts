// The name of a column: a dotted path, in which a backslash escapes a dot or a backslash inside a key.

/** Splits a name into its keys. */
export function keysOf(name: string): string[] {
  const keys = [""];
  for (const part of name.match(/\\.|\.|[^\\.]+/gs) ?? []) {
    keys.push(part === "." ? "" : keys.pop() + part.replace(/^\\/, ""));
  }
  return keys;
}

/** Joins keys to a name. */
export function nameOf(keys: readonly string[]): string {
  return keys.map((key) => key.replace(/[\\.]/g, "\\$&")).join(".");
}

/** The value of an object at a path. */
export function memberAt(object: object, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((value, key) => {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
  }, object);
}
