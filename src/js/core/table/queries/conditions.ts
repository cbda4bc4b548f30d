// The conditions of a query: read once, and checked by the tables that they are asked of.

import { entriesOf } from "../../argument/passed-object.js";
import { described, refusal } from "../../argument/refusal.js";
import type { Columns } from "../../engine/engine.js";
import { ownError } from "../../error/call-stack.js";
import { isObject, memberOf } from "../../host/member.js";
import {
  type CheckedCondition,
  conditionOf,
  type NumberedCondition,
  type PlainCheckedCondition,
  type Scalar,
} from "./condition.js";

/** The columns that conditions are asked of, and the values of each. */
export interface Asked {
  readonly columns: Columns;
  values(name: string): Iterable<unknown>;
}

/** The types of scalars, each with the bits of their kinds in Rust (`table::kind`). */
const KINDS = { number: 3, boolean: 4, string: 8 } as const;

/** The kinds of values that are only known as JSON: arrays, and strings with lone surrogates. */
const JSON_KIND = 16 | 128;

const SCALAR_KINDS = KINDS.number | KINDS.boolean | KINDS.string;

export type ScalarType = keyof typeof KINDS;

/** The members of a condition. */
const MEMBERS = ["min", "max", "contains", "missing", "not"];

/** Marks conditions that have been read, also by another entry of the package. */
const READ: unique symbol = Symbol.for("inspection-findings.conditions") as never;

/**
 * Conditions of at least one alternative. A column that a table lacks, and values of a type that it lacks, are errors; of tables that are
 * parts of the findings, only {@link check} says so, once {@link filter} or {@link ask} has seen the parts.
 */
export class Conditions {
  readonly [READ] = true;
  #alternatives: number;
  #conditions: readonly NumberedCondition[];
  readonly #areOfParts: boolean;
  /** What each name, and each type of its values, lacks in the findings so far; undefined if it lacks nothing. */
  readonly #doubts = new Map<string, Error | undefined>();

  /**
   * Copies conditions as `filter` takes them. Reading them may run code of the caller, so this happens before a query begins.
   *
   * @param subject their name in errors
   */
  constructor(where: unknown, areOfParts = false, subject = "where") {
    const alternatives = Array.isArray(where) ? [...where] : [where];
    const expected = "an object of conditions by the names of columns, or a list of these";
    this.#alternatives = alternatives.length;
    this.#areOfParts = areOfParts;
    this.#conditions = alternatives.flatMap((one, alternative) =>
      entriesOf(one, subject, expected).map(
        ([name, condition]): NumberedCondition => [alternative, name, conditionOf(name, condition)],
      ),
    );
  }

  /** Whether each condition has the name of a condition's member, as where the name of the column has been left out. */
  get areUnnamed(): boolean {
    return this.#conditions.length > 0 && this.#conditions.every(([, name]) => MEMBERS.includes(name));
  }

  /** The alternatives as plain data, for messages and comparisons: the conditions of each by name. */
  toJSON(): object[] {
    const own = (at: number) => this.#conditions.flatMap(([of, ...condition]) => (of === at ? [condition] : []));
    return [...Array(this.#alternatives).keys()].map((at) => Object.fromEntries(own(at).sort()));
  }

  /** The conditions that both of two make: each alternative of one with each of the other. */
  and(other: Conditions): Conditions {
    const both = new Conditions([]);
    both.#alternatives = this.#alternatives * other.#alternatives;
    const numbered = (own: Conditions, numberOf: (own: number, other: number) => number, others: number) =>
      own.#conditions.flatMap(([alternative, name, condition]) =>
        [...Array(others).keys()].map((at): NumberedCondition => [numberOf(alternative, at), name, condition]),
      );
    both.#conditions = [
      ...numbered(this, (one, at) => one * other.#alternatives + at, other.#alternatives),
      ...numbered(other, (one, at) => at * other.#alternatives + one, this.#alternatives),
    ];
    return both;
  }

  /** Selects the findings that meet all conditions of at least one alternative. */
  filter(asked: Asked): Columns {
    const { columns } = asked;
    // A whole table says itself what it lacks.
    if (!this.#areOfParts) this.#doubts.clear();
    this.ask(asked);
    if (!this.#areOfParts) this.check();
    if (!this.#areOfParts || columns.length() === 0) return columns.filter(this.#alternatives, this.#conditions);
    const part = columns.asPart();
    try {
      return part.filter(this.#alternatives, this.#conditions);
    } finally {
      part.free();
    }
  }

  /** Notes which names and types some findings lack. Without findings, a table has neither columns nor values. */
  ask(asked: Asked): void {
    if (asked.columns.length() === 0) return;
    for (const [, name, condition] of this.#conditions) this.#ask(name, condition, asked);
  }

  /**
   * Throws the error of a name that no table had, or of a type that no value had.
   *
   * @param missing the names of columns that may be missing in all tables
   */
  check(missing: readonly string[] = []): void {
    for (const [about, doubt] of this.#doubts) {
      if (doubt !== undefined && !missing.some((name) => about === nameKey(name))) throw doubt;
    }
  }

  #ask(name: string, condition: CheckedCondition, { columns, values }: Asked): void {
    const plain = "not" in condition ? condition.not : condition;
    // The caller of a table may have the rounded value from that table. Others mean what they have written.
    if (this.#areOfParts && columns.integersRounded() && hasLargeInteger(plain)) throw tooLarge(name);
    const unknown = unknownColumn(columns, name);
    this.#note(nameKey(name), unknown ?? "met");
    if (unknown !== undefined) return;
    const subject = `the condition on ${described(name)}`;
    for (const type of typesOf(plain)) {
      const key = `${type} ${name}`;
      if (this.#doubts.has(key) && this.#doubts.get(key) === undefined) continue;
      this.#note(key, lackOf(type, subject, name, { columns, values }));
    }
  }

  /** Notes what some findings say. The first doubt stays until other findings meet it. */
  #note(key: string, found: Error | "met" | undefined): void {
    if (found === "met") this.#doubts.set(key, undefined);
    else if (found !== undefined && !this.#doubts.has(key)) this.#doubts.set(key, found);
  }
}

/** Returns conditions as a query takes them, or those that have been read, also by another entry of the package. */
export function conditionsOf(where: unknown, subject?: string): Conditions {
  const isRead = isObject(where) && memberOf(where, READ) === true;
  return isRead ? (where as unknown as Conditions) : new Conditions(where, false, subject);
}

/**
 * Throws a `TypeError` if a column has no value of a type, and values of another one: a comparison would select nothing without a word, as with the
 * values of a form's fields.
 *
 * @param subject what compares the values
 */
export function checkType(type: ScalarType, subject: string, name: string, asked: Asked): void {
  const lack = lackOf(type, subject, name, asked);
  if (lack instanceof Error) throw lack;
}

/** The key of the doubt whether a name is known. */
function nameKey(name: string): string {
  return `name ${name}`;
}

/** The error of a name that a table does not know. */
function unknownColumn(columns: Columns, name: string): Error | undefined {
  try {
    columns.kinds(name, SCALAR_KINDS);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    if (!MEMBERS.includes(name) || columns.names().includes(name)) return error;
    const example = `{ ${described(columns.names()[0] ?? "Sentiment")}: { ${name}: … } }`;
    return ownError(new RangeError(`${error.message}; a condition needs the name of its column: ${example}`));
  }
  return undefined;
}

/** Whether a column has a value of a type; the error that says what it has if all are of others; undefined if it has none at all. */
function lackOf(
  type: ScalarType,
  subject: string,
  name: string,
  { columns, values }: Asked,
): Error | "met" | undefined {
  const sought = KINDS[type] | JSON_KIND;
  const kinds = columns.kinds(name, sought);
  if (kinds & sought) return "met";
  if (!(kinds & SCALAR_KINDS)) return undefined;
  for (const value of values(name)) {
    if (!((typeof value) in KINDS)) continue;
    return refusal(
      `${subject} compares ${type}s, but the column has no ${type}: it has ${typeof value}s, such as ${described(value)}`,
    );
  }
  return undefined;
}

/** The types of the values to which a condition compares. An empty text selects by type. */
function typesOf(condition: PlainCheckedCondition): Set<ScalarType> {
  if (isList(condition))
    return new Set(condition.map((scalar) => typeof scalar).filter((type) => type in KINDS) as ScalarType[]);
  if ("min" in condition) return new Set(["number"]);
  return new Set(condition.contains === "" ? [] : ["string"]);
}

function hasLargeInteger(condition: PlainCheckedCondition): boolean {
  const isLarge = (value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value);
  if (isList(condition)) return condition.some(isLarge);
  return "min" in condition && (isLarge(condition.min) || isLarge(condition.max));
}

/** Whether a condition is a list, which may inherit members such as `contains`: MooTools adds this one. */
function isList(condition: PlainCheckedCondition): condition is readonly Scalar[] {
  return Array.isArray(condition);
}

function tooLarge(name: string): TypeError {
  return refusal(
    `the condition on ${described(name)} compares an integer beyond 2^53, and the findings have such integers, which JavaScript rounds: ` +
      "it could select the neighbours of what you mean",
  );
}
