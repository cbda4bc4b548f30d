// The names of a table's columns and the types of their values, computed from the type of its findings.

/** The depth to which the columns of nested objects are named. */
type Depth = [never, 0, 1, 2, 3];

/** The keys that a type names, without the keys of an index signature. */
type NamedKey<Value> = keyof { [Key in keyof Value as string extends Key ? never : Key]: never } & string;

/** Whether an object of a type may have keys that the type does not name. */
type IsOpen<Value> = [NamedKey<Value>] extends [never] ? true : string extends keyof Value ? true : false;

/** A key in a dotted path, in which a dot of the key itself is written `\.`. */
type Escaped<Key extends string> = Key extends `${infer Before}.${infer After}` ? `${Before}\\.${Escaped<After>}` : Key;

/** The names of the columns of an object: dotted paths with a prefix. */
type Paths<Prefix extends string, Value, Left extends number> = [Left] extends [never]
  ? `${Prefix}${string}`
  : [NamedKey<Value>] extends [never]
    ? `${Prefix}${string}`
    :
        | { [Key in NamedKey<Value>]: FieldPaths<`${Prefix}${Escaped<Key>}`, Value[Key], Left> }[NamedKey<Value>]
        | (IsOpen<Value> extends true ? Uncompleted<`${Prefix}${string}`> : never);

/** The names of the columns of a field. A field that holds only objects has only the columns of its nested fields. */
type FieldPaths<Path extends string, Field, Left extends number> = Field extends undefined
  ? never
  : Field extends readonly unknown[]
    ? Path
    : Field extends object
      ? Paths<`${Path}.`, Field, Depth[Left]> | ([] extends Field ? Path : never)
      : Path;

/** Any string of a pattern. In a union, it does not absorb the literals that editors complete. */
type Uncompleted<Pattern extends string> = Pattern & Record<never, never>;

/**
 * The names of the columns of a table: the dotted paths of its findings' fields. Any string if the type of the findings
 * does not name their fields.
 *
 * @example
 * const names: ColumnName<{ Topic: { Text: string }; Sentiment: number }>[] = ["Topic.Text", "Sentiment"];
 */
export type ColumnName<Finding> = Paths<"", Finding, 4>;

/** A name in the option `columns`: of a column, or of an object. */
export type NamedColumn<Finding> = ColumnName<Finding> | Uncompleted<string>;

/**
 * A finding with only some fields: those with these names, as the option `columns` lists them.
 *
 * @example
 * const finding: Picked<InspectionFinding, "TopicGroup" | "Topic.Text"> = { TopicGroup: null, Topic: { Text: "price" } };
 */
export type Picked<Finding, Name extends string> = string extends Name
  ? Finding
  : {
      [Key in keyof Finding as Key extends string ? PickedKey<Key, Name> : never]: Key extends string
        ? PickedField<Finding[Key], Escaped<Key>, Name>
        : never;
    };

/** A key of an object, if it or a field below it is named. */
type PickedKey<Key extends string, Name extends string> = Name extends Escaped<Key> | `${Escaped<Key>}.${string}`
  ? Key
  : never;

/** A field as a whole, or only its named fields. A field that an index signature stands for may be named. */
type PickedField<Field, Path extends string, Name extends string> = Path extends Name
  ? Field
  : string extends Path
    ? Field
    : Field extends object
      ? Picked<Field, Name extends `${Path}.${infer Rest}` ? Rest : never>
      : undefined;

/**
 * The names of the columns of a table whose values may be numbers.
 *
 * @example
 * const name: NumberColumnName<InspectionFinding> = "Sentiment";
 */
export type NumberColumnName<Finding> = NumberName<Finding, ColumnName<Finding>>;

/** The names whose columns may have numbers. */
export type NumberName<Finding, Name extends string> =
  Name extends ColumnName<Finding>
    ? unknown extends ColumnValue<Finding, Name>
      ? Name
      : [Extract<ColumnValue<Finding, Name>, number>] extends [never]
        ? never
        : Name
    : never;

/** A string that is known only at run time, so that it may name any column; never a literal. */
export type AnyString<Name extends string> = string extends Name ? Name : never;

/**
 * The type of the values in a column; undefined stands for a missing field.
 *
 * @example
 * const text: ColumnValue<{ Topic?: { Text: string } }, "Topic.Text"> = undefined;
 */
export type ColumnValue<Finding, Path extends string> = Path extends unknown
  ? [KeyOf<Finding, Path>] extends [never]
    ? IsOpen<Finding> extends true
      ? unknown
      : never
    : ValueOf<Finding, KeyOf<Finding, Path>, Path>
  : never;

/** The first key of a path, if the type of the finding names it. */
type KeyOf<Finding, Path extends string> = {
  [Key in NamedKey<Finding>]: Path extends Escaped<Key> | `${Escaped<Key>}.${string}` ? Key : never;
}[NamedKey<Finding>];

/** The type of the values of the column of a key, or of a column below it. */
type ValueOf<
  Finding,
  Key extends keyof Finding & string,
  Path extends string,
> = Path extends `${Escaped<Key>}.${infer Rest}` ? FieldValue<Finding[Key], Rest> : Finding[Key];

/** The type of the values of a column inside a field; missing if the field holds no object. */
type FieldValue<Field, Path extends string> = Field extends object ? ColumnValue<Field, Path> : undefined;

/** The type of a value in the key of a group. An object whose fields have separate columns is `{}` there. */
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

/** The names that a method takes: one, one list, or several. */
export type ListOf<Names> = Names extends readonly [infer List extends readonly string[]]
  ? List
  : Names extends readonly string[]
    ? Names
    : [Names & string];

/** The type of the findings of a table. Methods read it from `this`, so that a table stays assignable to a table of a wider type. */
export type FindingOf<Table> = Table extends Iterable<infer Finding> ? Finding : never;
