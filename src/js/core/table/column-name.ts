// The names of a table's columns and the types of their values, computed from the type of its findings.

import type { FindingKind, InspectionFinding } from "./finding.js";

/** The depth to which the columns of nested objects are named. */
type Depth = [never, 0, 1, 2, 3];

/** The keys that a type names, without the keys of an index signature. */
export type NamedKey<Value> = keyof { [Key in keyof Value as string extends Key ? never : Key]: never } & string;

/** A key in a dotted path, in which a dot of the key itself is written `\.`, and a backslash `\\`. */
type Escaped<Key extends string> = DotsEscaped<BackslashesEscaped<Key>>;

type DotsEscaped<Key extends string> = Key extends `${infer Before}.${infer After}`
  ? `${Before}\\.${DotsEscaped<After>}`
  : Key;

type BackslashesEscaped<Key extends string> = Key extends `${infer Before}\\${infer After}`
  ? `${Before}\\\\${BackslashesEscaped<After>}`
  : Key;

/** The names of the columns of an object: dotted paths with a prefix. */
type Paths<Prefix extends string, Value, Left extends number> = [Left] extends [never]
  ? never
  : { [Key in NamedKey<Value>]: FieldPaths<`${Prefix}${Escaped<Key>}`, Value[Key], Left> }[NamedKey<Value>];

/** The names of the columns of a field. A field that holds only objects has only the columns of its nested fields. */
type FieldPaths<Path extends string, Field, Left extends number> = Field extends undefined
  ? never
  : Field extends readonly unknown[]
    ? Path
    : Field extends object
      ? Paths<`${Path}.`, Field, Depth[Left]> | ([] extends Field ? Path : never)
      : Path;

/**
 * The names of the columns that the type of the findings has: dotted paths. Any string if it has none.
 *
 * @example
 * const names: ColumnName<{ Topic: { Text: string }; Sentiment: number }>[] = ["Topic.Text", "Sentiment"];
 */
export type ColumnName<Finding> = [Paths<"", Finding, 4>] extends [never] ? string : Paths<"", Finding, 4>;

/**
 * A name that a query takes for that of a column, among which editors complete those that the type of the findings has. A literal that is none of these
 * is an error, unless it is the name of an object, or lies below one of any fields. A name of the type `string` is only known at run time.
 */
export type AskedName<Finding, Name extends string = string> = ColumnName<Finding> | (Name & Asked<Finding, Name>);

/** Any name of a column. Editors complete those that the type of the findings names. */
export type AnyColumnName<Finding> = ColumnName<Finding> | (string & Record<never, never>);

/** A list of names, each as a query takes it. */
export type AskedNames<Finding, Names> = {
  readonly [Index in keyof Names]: AskedName<Finding, Names[Index] & string>;
};

/** Code for findings of any type names documented columns without a look at that type. An editor completes the empty text. */
type Asked<Finding, Name> =
  IsLiteral<Name> extends false
    ? Name
    : Name extends "" | Exclude<ColumnName<InspectionFinding>, "Sentiment">
      ? Name
      : keyof Finding | OtherName<Finding>;

/** Whether a name is a literal. */
export type IsLiteral<Name> = Name extends string
  ? Record<never, never> extends Record<Name, 1>
    ? false
    : true
  : false;

/** The names of the members of a union, besides those that all have, of objects, and of what lies below an object of any fields. */
export type OtherName<Finding> = Finding extends unknown
  ? ColumnName<Finding> | Objects<"", Finding, 4> | (string extends keyof Finding ? string : never)
  : never;

type Objects<Prefix extends string, Value, Left extends number> = [Left] extends [never]
  ? `${Prefix}${string}`
  : { [Key in NamedKey<Value>]: ObjectNames<`${Prefix}${Escaped<Key>}`, Value[Key], Left> }[NamedKey<Value>];

type ObjectNames<Path extends string, Field, Left extends number> = Field extends readonly unknown[]
  ? never
  : Field extends object
    ? Path | ([NamedKey<Field>] extends [never] ? `${Path}.${string}` : never) | Below<`${Path}.`, Field, Left>
    : never;

/** The names below an object. */
type Below<Prefix extends string, Field, Left extends number> = string extends keyof Field
  ? `${Prefix}${string}`
  : Objects<Prefix, Field, Depth[Left]>;

/**
 * The names that editors complete in a list. No list has this type, so that the names are inferred from another type
 * beside it. Its member explains the error if they cannot be inferred, because a call has other type arguments.
 */
export type CompletedNames<Finding> = readonly ColumnName<Finding>[] & {
  readonly "pass these names as a type argument, too": never;
};

/** A list of names, from which `Names` is inferred. */
export type ColumnList<Finding, Names extends readonly string[]> = Names | CompletedNames<Finding>;

/** A finding of a call: of its kind, and with the fields that its option `columns` names; with all fields if there is none. */
export type CallFinding<Finding, Kind extends FindingKind, Names extends readonly string[]> = [Names] extends [never]
  ? OfKind<Finding, Kind>
  : Selected<OfKind<Finding, Kind>, Names>;

/** A finding with the fields of a list of names. If these are not known, any field may be left out. */
export type Selected<Finding, Names extends readonly string[]> =
  IsKnown<Names> extends true ? Picked<Finding, Names[number]> : Partially<Finding>;

/** Whether a list consists of literals. */
type IsKnown<Names extends readonly string[]> = number extends Names["length"]
  ? false
  : { [Index in keyof Names]: IsLiteral<Names[Index]> }[number] extends true
    ? true
    : false;

/** A value whose fields may be missing at any depth. */
type Partially<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { [Key in keyof Value]?: Partially<Value[Key]> }
    : Value;

/** A finding in a table of a call: queries of topic findings refuse a sentiment that the type says they need not have. */
export type TableFinding<Finding, Kind extends FindingKind, Names extends readonly string[]> = [Kind] extends ["topics"]
  ? WithoutSentiment<CallFinding<Finding, Kind, Names>>
  : CallFinding<Finding, Kind, Names>;

type WithoutSentiment<Finding> = string extends keyof Finding
  ? Finding
  : undefined extends Finding["Sentiment" & keyof Finding]
    ? Omit<Finding, "Sentiment">
    : Finding;

/** A finding of a kind: only sentiment findings have a sentiment. */
type OfKind<Finding, Kind extends FindingKind> = [Kind] extends ["sentiment"]
  ? Finding & { [Key in Extract<NamedKey<Finding>, "Sentiment">]: Exclude<Finding[Key & keyof Finding], undefined> }
  : Finding;

/**
 * A finding with only some fields: those with these names, as the option `columns` lists them.
 *
 * @example
 * const finding: Picked<InspectionFinding, "TopicGroup" | "Topic.Text"> = { TopicGroup: null, Topic: { Text: "price" } };
 */
export type Picked<Finding, Name extends string> = {
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
 * The names of the columns whose values may be numbers.
 *
 * @example
 * const name: NumberColumnName<InspectionFinding> = "Sentiment";
 */
export type NumberColumnName<Finding> =
  ColumnName<Finding> extends infer Name extends string
    ? Name extends unknown
      ? NumberName<Name, ColumnValue<Finding, Name>>
      : never
    : never;

/** A name, if its values may be numbers. */
type NumberName<Name, Value> = unknown extends Value ? Name : [Extract<Value, number>] extends [never] ? never : Name;

/**
 * The type of the values in a column; undefined stands for a missing field. `unknown` if the type of the findings does
 * not name the column.
 *
 * @example
 * const text: ColumnValue<{ Topic?: { Text: string } }, "Topic.Text"> = undefined;
 */
export type ColumnValue<Finding, Path extends string> = Path extends unknown
  ? [KeyOf<Finding, Path>] extends [never]
    ? unknown
    : ValueOf<Finding, KeyOf<Finding, Path>, Path>
  : never;

/** The first key of a path, if the type of the finding names it. */
type KeyOf<Finding, Path extends string> = {
  [Key in NamedKey<Finding>]: Path extends Escaped<Key> | `${Escaped<Key>}.${string}` ? Key : never;
}[NamedKey<Finding>];

/** The type of the values of the column of a key, or of a column below it. A field that holds only objects has no column. */
type ValueOf<
  Finding,
  Key extends keyof Finding & string,
  Path extends string,
> = Path extends `${Escaped<Key>}.${infer Rest}`
  ? FieldValue<Finding[Key], Rest>
  : "" extends FieldPaths<"", Finding[Key], 0>
    ? Finding[Key]
    : unknown;

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
  readonly [Index in keyof Names]: GroupValue<ColumnValue<Finding, Names[Index]>>;
};

/** A finding of joined tables: it may lack the fields that only some of them have. */
export type JoinedFinding<Finding> = Finding & {
  [Key in Exclude<KeyOfSome<Finding>, keyof Finding>]?: ValueInSome<Finding, Key>;
};

type KeyOfSome<Finding> = Finding extends unknown ? NamedKey<Finding> : never;

type ValueInSome<Finding, Key> = Finding extends unknown ? (Key extends keyof Finding ? Finding[Key] : never) : never;

/** The type of the findings of a table. Methods read it from `this`, so that a table stays assignable to a table of a wider type. */
export type FindingOf<Table> = Table extends Iterable<infer Finding> ? Finding : never;
