// The type of what JSON keeps of a value.

/**
 * What `JSON.stringify` writes of a value and `JSON.parse` reads: a `Date` becomes a text, a `Map` or a `Set` an object without fields, and a field
 * with a function or a symbol is missing.
 *
 * @example
 * const finding: Jsonified<{ Comment: string; at: Date }> = { Comment: "Too slow", at: "2026-01-31T12:00:00.000Z" };
 */
export type Jsonified<Value> = unknown extends Value
  ? Value
  : Value extends { toJSON(...parameters: never): infer Written }
    ? Jsonified<Written>
    : Value extends bigint | symbol | ((...parameters: never) => unknown)
      ? undefined
      : Value extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
        ? Record<never, never>
        : Value extends readonly unknown[]
          ? { [Index in keyof Value]: InList<Jsonified<Value[Index]>> }
          : Value extends object
            ? { [Key in keyof Value as Key extends symbol ? never : Key]: Jsonified<Value[Key]> }
            : Value;

/** An item of a list, which is null where a field would be missing. */
type InList<Item> = Item extends undefined ? null : Item;
