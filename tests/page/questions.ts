/** Random questions to a table, whose answers are those of plain JavaScript over its findings. Some make another table, to which the next one goes. */

import { FindingsTable } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { crosstab } from "inspection-findings/survey";
import { expect } from "vitest";
import type { Random } from "../random.js";
import { keysOf, readByFlechette, valuesOf } from "../readers/arrow/streams.js";
import * as model from "./model";
import { expectSame } from "./same.js";

export type Table = FindingsTable<any>;

/** What a table must have, and what a question may name. */
export interface Asked {
  readonly findings: object[];
  readonly isComplete: boolean;
  /** Whether no more findings may arrive, so that an unknown name is an error. */
  readonly isWhole: boolean;
  /** Whether all findings are objects of the caller, of which a name that none has is an error, too. */
  readonly isOwn?: boolean;
  readonly random: Random;
  /** The names that every finding or none may have. */
  readonly names: string[];
  /** Those of numbers whose sums are exact in any order, if not all are. */
  readonly summed?: string[] | undefined;
}

/** Asks a question about a table of findings. */
type Question = (table: Table, asked: Asked) => unknown;

const ofRows: Record<string, Question> = {
  at(table, { findings, random }) {
    for (let time = 0; time < 5; time++) {
      const index = random.integer(-findings.length - 1, findings.length);
      expectSame(table.at(index), findings.at(index));
    }
  },
  slice(table, { findings, random }) {
    const [from, to] = [random.integer(-5, findings.length), random.integer(-5, findings.length)];
    expectSame(table.slice(from, to), findings.slice(from, to));
  },
  toArray: (table, { findings }) => expectSame(table.toArray(), findings),
  iteration: (table, { findings }) => expectSame([...table], findings),
};

const ofColumns: Record<string, Question> = {
  column(table, { findings, random, names }) {
    if (names.length === 0) return;
    const name = random.oneOf(names);
    const values = valuesUnder(name, findings);
    expectSame(table.column(name), values);
    const areNumbers = values.every((value) => typeof value === "number");
    expectSame(table.numbers(name), areNumbers ? new Float64Array(values as number[]) : undefined);
  },
  countBy(table, { findings, random, names }) {
    const some = random.someOf(names, random.integer(0, 2));
    const distinct = random.chance(0.4) ? random.someOf(names, random.integer(1, 2)) : [];
    for (let time = 0; time < 2; time++) {
      const option: any = distinct.length === 1 && random.chance(0.5) ? distinct[0] : distinct;
      const groups: any[] = distinct.length === 0 ? table.countBy(some) : table.countBy(some, { distinct: option });
      const counts = model.groupsOf(findings, some.map(keysOf)).map(({ key, count, members }) => ({
        ...{ key, count },
        ...(distinct.length > 0 && { distinct: model.distinctIn(members, distinct.map(keysOf)) }),
      }));
      expect(groups).toEqual(counts);
      // The page may change what is its own.
      for (const { key } of groups) for (const value of key) if (Array.isArray(value)) value.push("changed");
    }
  },
  summarize(table, { findings, random, names, summed = names }) {
    const numbers = summed.filter((name) => names.includes(name));
    if (numbers.length === 0) return;
    const [value, other] = [random.oneOf(numbers), random.oneOf(names)];
    const some = random.someOf(names, random.integer(0, 2));
    const groups = model.groupsOf(findings, some.map(keysOf)).map(({ key, count, members }) => ({
      ...{ key, count, members },
      statistics: model.statisticsOf(members, keysOf(value)),
    }));
    expect(table.summarize(some, value)).toEqual(
      groups.map(({ key, count, statistics }) => ({ key, count, ...statistics })),
    );
    expect(table.summarize(some, { mean: value, other: { distinct: other }, b: { min: value } })).toEqual(
      groups.map(({ key, count, members, statistics: { mean, min } }) => ({
        ...{ key, count, mean, b: min },
        other: model.distinctIn(members, [keysOf(other)]),
      })),
    );
  },
  crosstab(table, { findings, random, names }) {
    const plain = names.filter((name) => valuesUnder(name, findings).every((value) => !model.isObject(value)));
    if (plain.length < 3) return;
    const [rows = "", columns = "", distinct = ""] = random.someOf(plain, 3);
    const isPeople = random.chance(0.5);
    const { cells, total } = crosstab(table, rows, columns, isPeople ? { distinct } : {});
    const under = (name: string, key: unknown, some: object[]) =>
      some.filter((finding) => model.isSameKey(model.valueAt(finding, keysOf(name)) ?? null, key));
    const count = (some: object[]) => (isPeople ? model.distinctIn(some, [keysOf(distinct)]) : some.length);
    expect(total).toBe(count(findings));
    for (const { row, column, count: own } of cells)
      expect(own).toBe(count(under(columns, column, under(rows, row, findings))));
  },
  toArrowIPC(table, { findings }) {
    // Of a field that also holds objects, the stream says nothing that its other columns do not.
    const names = table.columns.filter((name) => !valuesUnder(name, findings).some(model.isObject));
    for (const { name, read, expected } of valuesOf(readByFlechette(toArrowIPC(table)), findings, names)) {
      // Of arrays that JSON.stringify writes alike, the stream has one.
      expectSame(
        Array.isArray(read) ? model.canonical(read) : read,
        Array.isArray(expected) ? model.canonical(expected) : expected,
        name,
      );
    }
  },
};

/** The questions whose answer is another table. */
const ofTables: Record<string, Question> = {
  filter(table, asked) {
    const { findings, random, names } = asked;
    if (names.length === 0) return;
    const wheres = Array.from({ length: random.integer(1, 2) }, () =>
      Object.fromEntries(random.someOf(names, random.integer(1, 2)).map((name) => [name, conditionOn(name, asked)])),
    );
    const view = table.filter(wheres.length === 1 ? wheres[0] : (wheres as any));
    const kept = findings.filter((finding) => wheres.some((where) => model.meets(finding, where)));
    return askDerived(view, { ...asked, findings: kept });
  },
  sortBy(table, asked) {
    const { findings, random, names } = asked;
    const by = random.someOf(names, random.integer(0, 2));
    const directions = by.map(() => random.oneOf(["asc", "desc"] as const));
    const sorted = model.sortBy(findings, by.map(keysOf), directions);
    return askDerived(table.sortBy(by, directions), { ...asked, findings: sorted });
  },
  select(table, asked) {
    const { findings, random, names } = asked;
    const some = random.someOf(names, random.integer(1, 4));
    const paths = some.map(keysOf);
    return askAndFree(table.select(...some), {
      ...asked,
      findings: findings.map((finding) => model.pruned(finding, paths)),
      names: names.filter((name) => some.some((kept) => name === kept || name.startsWith(`${kept}.`))),
    });
  },
  with(table, asked) {
    const { findings, random, names } = asked;
    if (names.length === 0) return;
    const by = random.oneOf(names);
    const isKey = (value: unknown) => typeof value === "string" || Number.isFinite(value);
    const keys = new Set(valuesUnder(by, findings).filter(isKey));
    const entries = [...keys].filter(() => random.chance(0.8)).map((key) => [key, addedValue(random)] as const);
    const key = newKey(names);
    return askAndFree(table.with(key, { by, values: new Map(entries as [string, string][]) }), {
      ...asked,
      findings: model.withValues(findings, key, keysOf(by), new Map(entries)),
      names: [...names, model.nameOf([key])],
    });
  },
  async concat(table, asked) {
    const { findings, random } = asked;
    const by = random.someOf(asked.names, 1);
    const made = [{ Sentiment: random.integer(-2, 2) }, { Late: true }];
    using sorted = table.sortBy(by, "desc");
    using own = await FindingsTable.from<any>(made);
    const parts: [Table, object[]][] = [
      [table, findings],
      [sorted, model.sortBy(findings, by.map(keysOf), ["desc"])],
      [own, made],
    ];
    const some = random.someOf(parts, random.integer(1, 3));
    const [key, values] = [newKey(asked.names), some.map(() => addedValue(random))];
    const isNamed = random.chance(0.5);
    const tables = some.map(([part]) => part);
    const joined = isNamed
      ? FindingsTable.concat<any, string, any>(tables, { name: key, values })
      : FindingsTable.concat<any>(tables);
    sorted.free();
    own.free();
    const expected = some.map(([, part], place) => {
      const value = isNamed ? values[place] : undefined;
      return value === undefined ? part : part.map((finding) => model.withField(finding, key, value));
    });
    const isOwn = some.every(([part]) => asked.isOwn || part === own);
    const next = { ...asked, isOwn, isWhole: asked.isWhole || isOwn, findings: expected.flat() };
    const names = isNamed ? [...asked.names, model.nameOf([key])] : asked.names;
    return askDerived(joined, { ...next, names: askable(joined, names, next) });
  },
  async fromBytes(table, asked) {
    const again: Table = await FindingsTable.fromBytes(table.toBytes());
    const next = { ...asked, isWhole: true };
    return askAndFree(again, { ...next, names: askable(again, asked.names, next) });
  },
};

/** All questions, by name. */
export const questions = { ...ofRows, ...ofColumns, ...ofTables };

/** Asks a table a random question. */
export async function ask(table: Table, asked: Asked): Promise<void> {
  expect([table.length, table.isComplete]).toEqual([asked.findings.length, asked.isComplete]);
  const { random } = asked;
  await random.oneOf(Object.values(random.chance(0.5) ? ofTables : { ...ofRows, ...ofColumns }))(table, asked);
}

/** Asks a table that may not have all findings of its call, so that it has no partitions. */
function askDerived(table: Table, asked: Asked) {
  expect(table.partitions).toEqual([]);
  return askAndFree(table, { ...asked, isComplete: false });
}

async function askAndFree(table: Table, asked: Asked) {
  try {
    await ask(table, asked);
  } finally {
    table.free();
  }
}

/** Those of some names that a query on a table accepts: all, unless no more findings may arrive. */
export function askable(table: Table, names: string[], { isWhole, isOwn }: Pick<Asked, "isWhole" | "isOwn">) {
  const documented = isOwn ? [] : ["Comment", "RespondentKey", "Sentiment", "TopicGroup"];
  const isKnown = (name: string) => table.columns.includes(name) || documented.includes(name);
  return isWhole && table.length > 0 ? names.filter(isKnown) : names;
}

/** A condition on a column, of a type that it has, which some of the findings may meet. */
function conditionOn(name: string, { findings, random }: Asked): unknown {
  const values = valuesUnder(name, findings).filter((value) => value !== undefined && typeof value !== "object");
  const one = values.length > 0 ? random.oneOf(values) : undefined;
  const conditions: unknown[] = [one ?? { missing: true }, [one ?? null, null], { missing: true }];
  if (typeof one === "string") {
    const part = one.slice(0, 2);
    conditions.push({ contains: part }, { contains: part.toUpperCase() }, { contains: random.oneOf(["É", "ΑΣ", ""]) });
  }
  if (typeof one === "number") conditions.push({ min: one, max: random.oneOf([undefined, one + 2]) });
  const plain = random.oneOf(conditions);
  return random.chance(0.3) ? { not: plain } : plain;
}

/** A key that no finding has, with characters that a name escapes. */
function newKey(names: readonly string[]) {
  let number = names.length;
  while (names.includes(model.nameOf([oddKey(number)]))) number++;
  return oddKey(number);
}

function oddKey(number: number) {
  return `${["Added", ".", "\\", "\\.", '"'][number % 5]}${number}`;
}

function addedValue(random: Random) {
  return random.oneOf(["text", 2.5, 3, true, null, undefined]);
}

function valuesUnder(name: string, findings: object[]) {
  return findings.map((finding) => model.valueAt(finding, keysOf(name)));
}
