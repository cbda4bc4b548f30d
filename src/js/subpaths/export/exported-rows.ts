// The rows of a file: those of a table, of a cross tabulation, or of a list of objects, read a few at a time.

import { itemsOf, plainObject } from "../../core/argument/passed-object.js";
import { outOfRange, refusal } from "../../core/argument/refusal.js";
import { isObject, memberOf } from "../../core/host/member.js";
import { pause } from "../../core/host/slice.js";
import { isWithin, keysOf, nameOf } from "../../core/table/column-path.js";
import type { FindingsTable } from "../../core/table/table.js";
import { SOURCE } from "../../core/table/table-source.js";
import type { CrosstabResult } from "../survey/crosstab-result.js";
import { crosstabRows } from "./crosstab-rows.js";
import { type CellReader, cellReader } from "./finding-cells.js";
import type { CellValues, ExportedRows } from "./row-source.js";

/** What {@link csvOf} and {@link xlsxOf} write: a table or a view, a result of `crosstab`, or a list of objects. */
export type Exportable = FindingsTable<unknown> | CrosstabResult | Iterable<object>;

/** The most levels of an object in a list. More are probably a circle. */
const MAX_LEVELS = 64;

/**
 * Checks what is to be written.
 *
 * @param columns the names of the columns to write; undefined for all
 * @param values what the cells of a cross tabulation show
 * @param checkSignal throws the reason of the caller's signal once that is aborted
 */
export async function exportedRows(
  what: unknown,
  columns: readonly string[] | undefined,
  values: CellValues | undefined,
  checkSignal: () => void = () => {},
): Promise<ExportedRows> {
  const isTable = isObject(what) && typeof memberOf(what, SOURCE) === "function";
  const isCrosstab = !isTable && isObject(what) && Array.isArray(memberOf(what, "cells"));
  if (isCrosstab && columns !== undefined) throw refusal("a cross tabulation is written whole: leave columns out");
  if (!isCrosstab && values !== undefined) throw refusal("values is for cross tabulations: leave it out");
  if (isTable) return tableRows(what as unknown as FindingsTable<unknown>, columns);
  if (isCrosstab) return crosstabRows(what as unknown as CrosstabResult, values);
  const objects = itemsOf(what, "what is exported", "a FindingsTable, a result of crosstab or a list of objects", {
    LiveTable: "pass the table of its snapshot",
  });
  return objectRows(objects, columns, checkSignal);
}

function tableRows(table: FindingsTable<unknown>, columns: readonly string[] | undefined): ExportedRows {
  const known = table.columns;
  // A column that the table does not know is an error of the table, unless it is a documented one of either kind.
  const names = chosen(known, columns, (name) => table.select(name as never).free());
  const cellsOf = cellReader(names, columns !== undefined, "pass { columns: table.columns } to leave it out");
  return { columns: names, length: table.length, rows: (from, to) => cellsOfAll(cellsOf, table.slice(from, to)) };
}

async function objectRows(
  given: readonly unknown[],
  columns: readonly string[] | undefined,
  checkSignal: () => void,
): Promise<ExportedRows> {
  const [objects, names] = [[] as object[], new Names()];
  for (const one of given) {
    const paused = pause();
    if (paused !== undefined) {
      await paused;
      checkSignal();
    }
    const object = copyOf(plainObject(one, "each row"), 0) as object;
    names.add(object);
    objects.push(object);
  }
  const known = names.list();
  const headings = headingsOf(known);
  const named = columns?.map((name) => known[headings.indexOf(name)] ?? name);
  const written = chosen(known, named, (name) => {
    if (known.length > 0) throw outOfRange("each name of columns", `one of ${headings.slice(0, 30).join(", ")}`, name);
  });
  const cellsOf = cellReader(written, columns !== undefined);
  const heading = new Map(known.map((name, at) => [name, headings[at] as string]));
  return {
    columns: written.map((name) => heading.get(name) ?? name),
    length: objects.length,
    rows: (from, to) => cellsOfAll(cellsOf, objects.slice(from, to)),
  };
}

function cellsOfAll(cellsOf: CellReader, findings: readonly unknown[]): unknown[][] {
  return findings.map((finding) => cellsOf(finding as object));
}

/** The columns to write, in the order in which they are named. The name of an object stands for the columns below it. */
function chosen(
  known: readonly string[],
  named: readonly string[] | undefined,
  refuse: (name: string) => void,
): string[] {
  if (named === undefined) return [...known];
  const names = named.flatMap((name) => {
    const below = known.filter((column) => isWithin(column, name));
    if (below.length === 0) refuse(name);
    return below.length > 0 ? below : [name];
  });
  return [...new Set(names)];
}

/** The names of columns without their backslashes, as the keys of the objects have them, unless two columns would have one name. */
function headingsOf(names: readonly string[]): string[] {
  const plain = names.map((name) => keysOf(name).join("."));
  const isOnce = new Set(plain).size === plain.length;
  return isOnce ? plain : [...names];
}

/** Copies a value of the caller as JSON has it, but keeps a bigint. */
function copyOf(value: unknown, level: number): unknown {
  if (level > MAX_LEVELS) throw refusal(`a row has more than ${MAX_LEVELS} levels: does it contain itself?`);
  if (typeof value === "number" && !Number.isFinite(value)) return null;
  if (!isObject(value)) return typeof value === "function" || typeof value === "symbol" ? undefined : value;
  const toJSON = memberOf(value, "toJSON");
  if (typeof toJSON === "function") return copyOf(Reflect.apply(toJSON, value, []), level + 1);
  if (Array.isArray(value)) return [...value].map((item) => copyOf(item, level + 1) ?? null);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member, level + 1)]));
}

/** The names of the columns of objects, in the order of their first occurrence. */
class Names {
  /** Whether an object has a value there. */
  readonly #names = new Map<string, boolean>();

  add(object: object, keys: readonly string[] = []): void {
    for (const [key, value] of Object.entries(object)) {
      const path = [...keys, key];
      const name = nameOf(path);
      const isInner = isObject(value) && !Array.isArray(value);
      if (isInner) this.add(value, path);
      // A key without any value has a column, too.
      if (!isInner || keys.length === 0) {
        this.#names.set(name, this.#names.get(name) || (!isInner && value !== null && value !== undefined));
      }
    }
  }

  list(): string[] {
    const all = [...this.#names];
    const outer = new Set<string>();
    for (const [name, hasValue] of all) {
      const keys = hasValue ? keysOf(name) : [];
      for (let level = 1; level < keys.length; level++) outer.add(nameOf(keys.slice(0, level)));
    }
    return all.filter(([name, hasValue]) => hasValue || !outer.has(name)).map(([name]) => name);
  }
}
