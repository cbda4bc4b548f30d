// The axes of a cross tabulation: the values of columns, conditions by name, or several of these side by side.

import { entriesOf } from "../../core/argument/passed-object.js";
import { described, refusal, wrongType } from "../../core/argument/refusal.js";
import { isObject } from "../../core/host/member.js";
import type { AnyColumnName, AskedName, AskedNames, GroupKey } from "../../core/table/column-name.js";
import type { InspectionFinding } from "../../core/table/finding.js";
import type { Condition, KnownConditions } from "../../core/table/queries/condition.js";
import type { Conditions } from "../../core/table/queries/conditions.js";
import type { FindingsTable } from "../../core/table/table.js";
import { SOURCE } from "../../core/table/table-source.js";
import type { CrosstabAxisPart } from "./crosstab-result.js";

/**
 * What the rows or the columns of a {@link CrosstabResult} are: the values of one column, the combinations of the values of several, or
 * conditions by name, as {@link FindingsTable.filter} takes them. The name of a column in place of conditions puts its values beside the others.
 *
 * @example
 * const mood = {
 *   negative: { Sentiment: { max: -1 } },
 *   positive: { Sentiment: { min: 1 } },
 * } satisfies CrosstabAxis<InspectionFinding>;
 * const banner: CrosstabAxis<InspectionFinding> = { all: {}, Topic: "TopicGroup", Expression: "ExpressionGroup" };
 */
export type CrosstabAxis<Finding> =
  | AnyColumnName<Finding>
  | readonly AnyColumnName<Finding>[]
  | NamedConditions<Finding>;

/** An axis of findings whose type is not known yet: its conditions are those of documented columns. */
export type DocumentedAxis =
  | AnyColumnName<InspectionFinding>
  | readonly AnyColumnName<InspectionFinding>[]
  | { readonly [name: string]: Documented | readonly Documented[] | AnyColumnName<InspectionFinding> };

type Documented = KnownConditions<InspectionFinding>;

/**
 * Conditions by the name that a row or a column of a {@link CrosstabResult} gets; a finding may meet several, or none. Or the name of a column, by the
 * name that its values have in common.
 */
export type NamedConditions<Finding> = {
  readonly [name: string]: SomeConditions<Finding> | readonly SomeConditions<Finding>[] | AnyColumnName<Finding>;
};

/** A base may have other columns. */
type SomeConditions<Finding> = KnownConditions<Finding> & { readonly [name: string]: Condition };

/** The same axis, with the names of columns as a query takes them. */
export type AskedAxis<Finding, Axis> = Axis extends string
  ? AskedName<Finding, Axis>
  : Axis extends readonly string[]
    ? AskedNames<Finding, Axis>
    : {
        readonly [Name in keyof Axis]: Axis[Name] extends string
          ? AskedName<Finding, Axis[Name]>
          : AskedConditions<Finding, Axis[Name]>;
      };

type AskedConditions<Finding, Where> = Where extends readonly unknown[]
  ? { readonly [Index in keyof Where]: AskedConditions<Finding, Where[Index]> }
  : { readonly [Name in keyof Where]: Name extends AskedName<Finding, Name & string> ? unknown : never };

/** The key of a row or a column: the value of its column, a list of the values of several columns, or the name of its conditions. */
export type AxisKey<Finding, Of> = Of extends string
  ? OrNull<GroupKey<Finding, readonly [Of]>[0]>
  : Of extends readonly string[]
    ? { readonly [Index in keyof Of]: OrNull<GroupKey<Finding, Of>[Index & keyof GroupKey<Finding, Of>]> }
    : {
        [Name in keyof Of]: Of[Name] extends string ? OrNull<GroupKey<Finding, readonly [Of[Name]]>[0]> : Name & string;
      }[keyof Of];

/** A missing value is null: both are one group. */
type OrNull<Value> = undefined extends Value ? Exclude<Value, undefined> | null : Value;

/** @internal Conditions, and the name that they have in an axis. */
export type NamedCondition = readonly [name: string, conditions: Conditions];

/** @internal A part of an axis: the values of some columns, or conditions. Letters begin anew in each. */
export interface CheckedBlock {
  /** The name of the part, if there are several. */
  readonly of: string | undefined;
  /** The columns whose values are its keys; none for conditions. */
  readonly names: readonly string[];
  /** Whether a key is the value of a single column. */
  readonly isSingle: boolean;
  /** The conditions by name. */
  readonly conditions: readonly NamedCondition[];
}

const EXPECTED = "the name of a column, a list of names, or an object of conditions by name";

/** @internal Checks an axis of a table, and copies it. */
export function axisOf(table: FindingsTable<unknown>, what: string, given: unknown): CheckedBlock[] {
  if (typeof given === "string") return [{ of: undefined, names: [given], isSingle: true, conditions: [] }];
  if (Array.isArray(given)) {
    return [{ of: undefined, names: namesOf(what, given), isSingle: false, conditions: [] }];
  }
  const entries = entriesOf(given, what, EXPECTED);
  if (entries.length === 0) throw refusal(`${what} must have at least one condition`);
  const { conditions: read } = table[SOURCE]();
  const conditions: NamedCondition[] = [];
  const blocks: CheckedBlock[] = [];
  for (const [name, part] of entries) {
    if (typeof part === "string") blocks.push({ of: name, names: [part], isSingle: true, conditions: [] });
    else if (conditions.push([name, read(part, `${described(name)} of ${what}`)]) === 1)
      blocks.push({ of: undefined, names: [], isSingle: false, conditions });
  }
  return blocks;
}

/** @internal What a part of an axis is, as plain data: that of equal conditions is equal. */
export function partOf({ of, names, conditions }: CheckedBlock): CrosstabAxisPart {
  const plain = (_: string, value: unknown): unknown => {
    // A bound of infinity is none.
    if (!Array.isArray(value)) return typeof value === "number" && !Number.isFinite(value) ? undefined : value;
    const texts = value.map((one) => JSON.stringify(one === undefined ? { missing: true } : one, plain));
    return [...new Set(texts)].sort().map((text) => JSON.parse(text));
  };
  const asked = () => JSON.parse(JSON.stringify(Object.fromEntries([...conditions].sort()), plain));
  return { ...(of !== undefined && { of }), ...(names.length > 0 ? { columns: names } : { conditions: asked() }) };
}

/** Copies a list of at least one name. */
export function namesOf(what: string, given: readonly unknown[]): string[] {
  const names = [...given].map((name) => {
    if (typeof name !== "string") throw wrongType(`each name of ${what}`, "the name of a column", name);
    return name;
  });
  if (names.length === 0) throw refusal(`${what} must have at least one name`);
  return names;
}

/** Copies the name of a column, or a list of names. */
export function nameOrNames(what: string, given: unknown): string[] {
  if (typeof given === "string") return [given];
  if (Array.isArray(given)) return namesOf(what, given);
  throw wrongType(what, 'the name of a column, such as "RespondentKey", or a list of names', given);
}

/** The value of a key of one column, also where the key is a list of one. */
export function valueOfKey(key: unknown): unknown {
  return Array.isArray(key) && key.length === 1 ? key[0] : key;
}

/** A text that two keys share if they are equal. */
export function keyIdentity(key: unknown): string {
  return `${typeof key} ${typeof key === "number" ? key : JSON.stringify(key ?? null)}`;
}

/** The key of a row or a column as text. */
export function textOf(key: unknown): string {
  if (Array.isArray(key)) return key.map(textOf).join(" · ");
  return isObject(key) ? JSON.stringify(key) : String(key);
}

/** What is left of a key without its case, the spaces at its ends, and whether it is a number or a text. */
export function plainKey(key: unknown): string {
  return textOf(key).trim().toLowerCase();
}

/** The key among some that was probably meant, for a message: ` (did you mean "loyal"?)`. */
export function hintOf(key: unknown, known: readonly unknown[]): string {
  const similar = known.find((other) => plainKey(other) === plainKey(key));
  return similar === undefined
    ? `: it has ${known.slice(0, 20).map(textOf).join(", ")}`
    : ` (did you mean ${described(similar)}?)`;
}
