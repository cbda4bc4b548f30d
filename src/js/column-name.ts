// The names of a table's columns, and the types of their values, by the type of its findings.

/** The depth of nested objects whose columns are known by name. */
type Depth = [never, 0, 1, 2, 3];

/** Whether a type of an object does not say which fields the object has. */
type IsOpen<Value> = unknown extends Value
  ? true
  : [keyof Value] extends [never]
    ? true
    : string extends keyof Value
      ? true
      : false;

/** A key in a dotted path, in which a dot of the key itself is written `\.`. */
type Escaped<Key extends string> = Key extends `${infer Before}.${infer After}` ? `${Before}\\.${Escaped<After>}` : Key;

/** The names of the columns of an object: dotted paths. */
type Paths<Value, Left extends number> = [Left] extends [never]
  ? string
  : IsOpen<Value> extends true
    ? string
    : { [Key in keyof Value & string]-?: Escaped<Key> | Nested<Escaped<Key>, Value[Key], Left> }[keyof Value & string];

/** The names of the columns of an object in a field; none for a value of another kind. */
type Nested<Path extends string, Value, Left extends number> = Value extends readonly unknown[]
  ? never
  : Value extends object
    ? `${Path}.${Paths<Value, Depth[Left]>}`
    : never;

/**
 * The names of the columns of a table: the dotted paths of its findings' fields. Any string where the type of the findings does not
 * say which fields they have.
 *
 * @example
 * const names: ColumnName<{ Topic: { Text: string }; Sentiment: number }>[] = ["Topic", "Topic.Text", "Sentiment"];
 */
export type ColumnName<Finding> = Paths<Finding, 4>;

/** A string that is known at run time only, so that it may name any column; never one that is known before. */
export type AnyString<Name extends string> = string extends Name ? Name : never;

/**
 * The type of the values in a column; undefined stands for a missing field.
 *
 * @example
 * const text: ColumnValue<{ Topic?: { Text: string } }, "Topic.Text"> = undefined;
 */
export type ColumnValue<Finding, Path extends string> =
  IsOpen<Finding> extends true ? unknown : ValueOf<Finding, keyof Finding & string, Path>;

/** The type of the values of a column that is that of a key, or lies below it. */
type ValueOf<Finding, Key extends keyof Finding & string, Path extends string> = Key extends unknown
  ? Path extends Escaped<Key>
    ? Finding[Key]
    : Path extends `${Escaped<Key>}.${infer Rest}`
      ? FieldValue<Finding[Key], Rest>
      : never
  : never;

/** The type of the values of a column inside a field, which are missing where the field has no object. */
type FieldValue<Field, Path extends string> = Field extends object ? ColumnValue<Field, Path> : undefined;

/** The type of a value in the key of a group, where an object whose fields have columns of their own is `{}`. */
type GroupValue<Value> = Value extends readonly unknown[] ? Value : Value extends object ? Record<never, never> : Value;

/**
 * The key of a group of findings: its value in each of these columns.
 *
 * @example
 * const key: GroupKey<{ Topic: { Text: string }; Sentiment: number }, ["Topic.Text", "Sentiment"]> = ["delivery", 1];
 */
export type GroupKey<Finding, Names extends readonly string[]> = {
  -readonly [Index in keyof Names]: GroupValue<ColumnValue<Finding, Names[Index]>>;
};

/** The type of the findings of a table. A method that reads it from `this` leaves the table usable as one of a wider type. */
export type FindingOf<Table> = Table extends Iterable<infer Finding> ? Finding : never;
