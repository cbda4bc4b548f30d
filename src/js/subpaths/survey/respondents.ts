// One row for each respondent, for the tool that has the rest of the survey.

import { itemsOf, membersOf } from "../../core/argument/passed-object.js";
import { outOfRange, refusal, wrongType } from "../../core/argument/refusal.js";
import type { AnyColumnName, AskedName, NumberColumnName } from "../../core/table/column-name.js";
import { keysOf } from "../../core/table/column-path.js";
import type { FindingsTable } from "../../core/table/table.js";
import { type AskedAxis, axisOf, nameOrNames, namesOf, textOf } from "./axis.js";
import {
  type AnyTable,
  type Coded,
  checkBase,
  checkTable,
  codesOf,
  lacks,
  NOBODY,
  Numbering,
  ofBoth,
  whoIs,
} from "./coded-table.js";
import { increase } from "./increase.js";
import { compareNumbers, ownOrder } from "./order.js";
import { numbersOf, Side, walk } from "./walk.js";

/** Options of {@link respondentsOf}. */
export interface RespondentsOptions<
  Finding = unknown,
  By = AnyColumnName<Finding> | { readonly [name: string]: object },
  Per extends string = string,
> {
  /** The name of the column whose values are the respondents, or a list of names. Findings in which one is missing or null are left out. */
  readonly per: AskedName<Finding, Per> | readonly AskedName<Finding, Per>[];
  /** The name of the column whose values get a column each, such as `"TopicGroup"`; or conditions by name. */
  readonly by: By;
  /**
   * The name of a column of numbers: instead of 1, a cell has their mean in the respondent's findings, and instead of 0, null.
   *
   * @default undefined, which means 1 and 0
   */
  readonly value?: NumberColumnName<Finding> | undefined;
  /**
   * Those who were asked: a table with a row for each of them. Respondents without findings then have rows, too.
   *
   * @default undefined, which means those who have a finding
   */
  readonly base?: FindingsTable<unknown> | undefined;
  /** The names of columns to keep, of the table `base`, or else of this one. Each respondent has one value there. */
  readonly keep?: readonly string[] | undefined;
  /**
   * The label of the column of those who are in no other. Without it, a tool such as SPSS takes a respondent with zeros everywhere for missing.
   *
   * @default "No topic"
   */
  readonly none?: string | undefined;
}

/** What {@link respondentsOf} returns. */
export interface Respondents {
  /** A row for each respondent, in the order of their keys. */
  readonly rows: readonly Record<string, unknown>[];
  /** What each column was called, by its name: its topic, or the name of the column that was kept. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The maximum number of cells. */
const MAX_CELLS = 50_000_000;

/** The words that SPSS keeps for itself, and the maximum number of bytes of a name. */
const RESERVED = /^(all|and|by|eq|ge|gt|le|lt|ne|not|or|to|with)$/i;
const MAX_NAME = 64;

/**
 * Makes one row of each respondent, with a column for each topic: 1 for those who speak of it, 0 for all others. {@link csvOf} writes the rows.
 *
 * SPSS refuses names such as `"(none)"`, `"Check-in"` and `"ALL"`. The column of such a topic is called T and its number, and any other one, such as
 * `"Customer group"` of `keep`, V and its number. `labels` has what it was called.
 *
 * @throws RangeError if no finding has a value under one of the names, or for more than 50 000 000 cells
 * @throws TypeError if an option is invalid, if `base` lacks a respondent, or if a respondent has two values in a column to keep
 * @example
 * import { csvOf } from "inspection-findings/export";
 * import { respondentsOf } from "inspection-findings/survey/respondents";
 *
 * const { rows, labels } = respondentsOf(table, { per: "RespondentId", by: "TopicGroup" });
 * console.log(await csvOf(rows), labels);
 */
export function respondentsOf<
  Finding,
  const By extends AnyColumnName<Finding> | { readonly [name: string]: object },
  const Per extends string,
>(
  table: FindingsTable<Finding>,
  options: RespondentsOptions<NoInfer<Finding>, By, Per> & { readonly by: AskedAxis<NoInfer<Finding>, By> },
): Respondents {
  const own = checkTable(table);
  const { per, by, value, base, keep, none } = questionOf(own, options);
  const people: Coded = { names: per, numbering: new Numbering(), isSingle: per.length === 1, needsValue: true };
  checkBase(base, per);
  if (base !== undefined) codesOf(base, [people], true);
  const asked = base && people.numbering.keys.length;
  // No condition may have a finding that shows a slip.
  if (value !== undefined) own.numbers(value as never);
  const [side, scored] = [new Side(by), value === undefined ? undefined : new Side(axisOf(own, "value", value))];
  const batches = walk(own, side, scored, people);
  const scores = scored && numbersOf(scored);
  codesOf(own, [people], true);
  if (asked !== undefined && asked < people.numbering.keys.length) throw lacks(people, asked);
  // A topic of findings without a respondent is nobody's.
  const spoken = new Set<number>();
  for (const { rows, people: codes } of batches) {
    rows?.codes.forEach((code, at) => {
      if (codes?.[at] !== NOBODY) spoken.add(side.offset(rows.block) + code);
    });
  }
  const topics = sortedTopics(side, spoken);
  const persons = sortedCodes(people.numbering.keys.map((key) => (people.isSingle ? [key] : (key as unknown[]))));
  const width = topics.length + 1;
  const kept = keep.map((name) => ofBoth(own, base, () => keptValues(base ?? own, people, name)));
  const labels = [...keep.map((name) => keysOf(name).join(".")), ...topics.map(({ key }) => textOf(key)), none];
  const names = columnNames(labels, keep.length);
  if (persons.length * width > MAX_CELLS)
    throw outOfRange("the number of cells", `at most ${MAX_CELLS}`, persons.length * width);
  const [sums, numbers] = [new Float64Array(persons.length * width), new Float64Array(persons.length * width)];
  const speaking = new Uint8Array(persons.length);
  const places = new Map(topics.map(({ code }, place) => [code, place]));
  for (const { rows, columns, people: codes } of batches) {
    codes?.forEach((person, at) => {
      const place = places.get(side.offset(rows?.block ?? 0) + (rows?.codes[at] as number));
      if (person === NOBODY || place === undefined) return;
      speaking[person] = 1;
      const number = scores === undefined ? 1 : (scores[columns?.codes[at] as number] ?? null);
      if (number === null) return;
      increase(sums, person * width + place, number);
      increase(numbers, person * width + place, 1);
    });
  }
  const cellOf = (cell: number) => {
    const count = numbers[cell] as number;
    return value === undefined ? Number(count > 0) : count > 0 ? (sums[cell] as number) / count : null;
  };
  const rows = persons.map((person) => {
    const row: Record<string, unknown> = {};
    for (const [at, values] of kept.entries()) row[names[at] as string] = values[person];
    for (let at = 0; at < topics.length; at++) row[names[keep.length + at] as string] = cellOf(person * width + at);
    row[names.at(-1) as string] = 1 - (speaking[person] as number);
    return row;
  });
  return { rows, labels: Object.fromEntries(names.map((name, at) => [name, labels[at] as string])) };
}

/** The conditions of an axis, or its values but null that a respondent has, with their codes among all. */
function sortedTopics(side: Side, spoken: ReadonlySet<number>): { key: unknown; code: number }[] {
  return side.blocks.flatMap(({ numbering: { keys }, names }, block) => {
    const all = keys.map((key, own) => ({ key, code: side.offset(block) + own }));
    if (names.length === 0) return all;
    const topics = all.filter(({ key, code }) => key !== null && spoken.has(code));
    return sortedCodes(topics.map(({ key }) => [key])).map((place) => topics[place] as { key: unknown; code: number });
  });
}

/** Sorts keys: numbers and the like in their own order, others as texts. Returns their places. */
function sortedCodes(keys: readonly (readonly unknown[])[]): number[] {
  const width = keys[0]?.length ?? 0;
  const own = [...Array(width).keys()].map((at) => ownOrder(keys.map((key) => key[at])));
  const texts = keys.map((key) => key.map(textOf));
  const compared = (one: number, other: number, at: number) => {
    const [a, b] = [own[at]?.[one], own[at]?.[other]];
    if (a !== undefined && b !== undefined) return compareNumbers(a, b);
    const [text, next] = [texts[one]?.[at] as string, texts[other]?.[at] as string];
    return text < next ? -1 : Number(text > next);
  };
  const byParts = (one: number, other: number, at = 0): number =>
    at === width ? 0 : compared(one, other, at) || byParts(one, other, at + 1);
  return keys.map((_, code) => code).sort((one, other) => byParts(one, other));
}

/** Names columns as SPSS allows: a valid name stays, of equal ones the first. Another one is T and its number, or V of what is kept. */
function columnNames(labels: readonly string[], kept: number): string[] {
  const isName = (label: string) =>
    /^[A-Za-z][\w.]*(?<![._])$/.test(label) && !RESERVED.test(label) && label.length <= MAX_NAME;
  const used = new Set(labels.filter(isName).map((label) => label.toLowerCase()));
  const free = new Set(used);
  return labels.map((label, at) => {
    if (isName(label) && free.delete(label.toLowerCase())) return label;
    let name = at < kept ? `V${at + 1}` : `T${at + 1 - kept}`;
    while (used.has(name.toLowerCase())) name = `${name}_1`;
    used.add(name.toLowerCase());
    return name;
  });
}

/** The value of each person in a column. */
function keptValues(table: AnyTable, people: Coded, name: string): unknown[] {
  const numbering = new Numbering();
  const { codes } = codesOf(table, [people, { names: [name], numbering, isSingle: true, needsValue: true }], true);
  const values = people.numbering.keys.map((): unknown => null);
  codes[0]?.forEach((person, at) => {
    const code = codes[1]?.[at] as number;
    if (person === NOBODY || code === NOBODY) return;
    if (values[person] !== null && values[person] !== numbering.keys[code])
      throw refusal(`a respondent has one value in a column to keep; ${whoIs(people, person)} has two in ${name}`);
    values[person] = numbering.keys[code];
  });
  return values;
}

/** Reads each option once, and checks it. */
function questionOf(table: AnyTable, options: unknown) {
  const known = ["per", "by", "value", "base", "keep", "none"] as const;
  const read = membersOf(options, "options", known, {
    expected: 'an object such as { per: "RespondentId", by: "TopicGroup" }',
  });
  const { value, none = "No topic" } = read;
  const per = nameOrNames("per", read.per);
  const by = axisOf(table, "by", read.by);
  if (value !== undefined && typeof value !== "string")
    throw wrongType("value", "the name of a column of numbers", value);
  if (typeof none !== "string") throw wrongType("none", "a text", none);
  const keep = read.keep === undefined ? [] : itemsOf(read.keep, "keep", "a list of names of columns");
  const base = read.base === undefined ? undefined : checkTable(read.base, "base");
  // The keys are the first columns that are kept.
  return {
    per,
    by,
    value,
    base,
    keep: [...new Set([...per, ...(keep.length === 0 ? [] : namesOf("keep", keep))])],
    none,
  };
}
