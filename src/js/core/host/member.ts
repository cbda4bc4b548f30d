// Safe access to values that the package did not create.

/** Returns what a function returns; undefined if it throws. */
export function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Reads a member of an object; undefined if that throws. */
export function memberOf(value: object, name: PropertyKey): unknown {
  return orUndefined(() => Reflect.get(value, name));
}

/** Says in words what has been thrown: the message of an error, its name if it has none, or the text of another value. */
export function thrownText(thrown: unknown): string {
  const text = orUndefined(() => String(thrown instanceof Error ? thrown.message || thrown.name : thrown));
  return text ?? "a value without text";
}

/** Whether a value can have members. */
export function hasMembers(value: unknown): value is object {
  return typeof value === "function" || isObject(value);
}

/** Whether a value is an object and not a function. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
