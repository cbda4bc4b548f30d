// What `summarize` computes of each group, by name.

import { entriesOf } from "../../argument/passed-object.js";
import { described, wrongType } from "../../argument/refusal.js";
import { isObject } from "../../host/member.js";
import type { AskedName, ColumnName, IsLiteral, NumberColumnName } from "../column-name.js";
import type { InspectionFinding } from "../finding.js";
import { columnName } from "./query-arguments.js";

/** A statistic of the values of a column in a group: of its numbers, or the number of its distinct values without missing and null. */
export type Statistic = "numbers" | "sum" | "min" | "max" | "mean" | "distinct";

/**
 * What {@link FindingsTable.summarize} computes of each group, by name: by the name of a statistic its column, by any
 * other name, except `key` and `count`, an object with a statistic and its column.
 *
 * @example
 * const aggregates = { mean: "Sentiment", worst: { min: "Sentiment" }, people: { distinct: "RespondentKey" } } satisfies Aggregates;
 */
export type Aggregates<Name extends string = string> = {
  readonly [name: string]: Name | { readonly [Each in Statistic]?: Name };
};

/** The same aggregates, unless one names a column without numbers for a statistic of numbers, or something that is no statistic. */
export type Summarizable<Finding, Values> = {
  readonly [Name in keyof Values]: Name extends "key" | "count"
    ? never
    : Name extends Statistic
      ? OfStatistic<Finding, Name, Values[Name]>
      : OfStatistics<Finding, Values[Name]>;
};

/** The column of a statistic, or an object with a statistic and its column. */
type OfStatistic<Finding, Name, Value> = Value extends string
  ? Name extends "distinct"
    ? AskedName<Finding, Value>
    : NumericName<Finding, Value>
  : OfStatistics<Finding, Value>;

type OfStatistics<Finding, Value> = Value extends string
  ? never
  : { readonly [Name in keyof Value]: Name extends Statistic ? OfStatistic<Finding, Name, Value[Name]> : never };

/**
 * The same name, unless the type of the findings says that no value of the column is a number. Code for any type of findings, which names the documented
 * columns, gets them without a look at that type.
 */
type Numeric<Finding, Name extends string> =
  IsLiteral<Name> extends false
    ? Name
    : Name extends NumberColumnName<InspectionFinding>
      ? AskedName<Finding, Name>
      : Name extends ColumnName<Finding>
        ? Extract<Name, NumberColumnName<Finding>>
        : AskedName<Finding, Name>;

/** The name of a column whose values may be numbers, as a query takes it. */
export type NumericName<Finding, Name extends string> = NumberColumnName<Finding> | (Name & Numeric<Finding, Name>);

/** The index of each statistic among those that Rust computes for a group. The mean needs its sum. */
const STATISTICS = { numbers: 0, sum: 1, min: 2, max: 3, mean: 1 } as const;

/** An aggregate: its name, its statistic, and the column of its values. */
type Aggregate = readonly [name: string, statistic: Statistic, column: string];

const EXPECTED =
  "a column name, or an object with a column name for numbers, sum, min, max, mean or distinct, or with " +
  "{ [statistic]: column } for any name but key and count";

/** Copies aggregates. */
export function aggregatesOf(values: object): Aggregate[] {
  return entriesOf(values, "value", EXPECTED).map(([name, value]) => {
    const [[statistic, column] = [], another] = isObject(value)
      ? entriesOf(value, `${described(name)} of value`, "{ [statistic]: column }")
      : [[name, value] as const];
    const isKnown = statistic === "distinct" || (statistic !== undefined && Object.hasOwn(STATISTICS, statistic));
    if (!isKnown || another !== undefined || name === "key" || name === "count") {
      throw wrongType("value", EXPECTED, values);
    }
    return [name, statistic as Statistic, columnName(column)];
  });
}

/** Returns the value of a statistic of a group. */
export function statisticOf(
  statistic: Statistic,
  { statistics, distinct }: { statistics: Float64Array; distinct: Uint32Array },
  index: number,
): number {
  if (statistic === "distinct") return distinct[index] as number;
  const value = statistics[4 * index + STATISTICS[statistic]] as number;
  return statistic === "mean" ? value / (statistics[4 * index] as number) : value;
}
