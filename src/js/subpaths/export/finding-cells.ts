// The cells of a finding: one value for each column, as a line of CSV and a row of a sheet have them.

import { keysOf, nameOf } from "../../core/table/column-path.js";
import { LimitError } from "./limit-error.js";

/** Returns the cells of a finding. */
export type CellReader = (finding: object) => unknown[];

/** The column of the values under a key, and those of their fields. */
interface Outline {
  /** The column of a value without columns for its fields. */
  column?: number;
  /** The fields that have columns of their own. */
  fields: Map<string, Outline>;
}

/**
 * Returns a reader of cells. A missing field, null and an object without a value inside are undefined.
 *
 * @param columns the columns to read, by their names in a table
 * @param areSome whether the findings may have others, which are left out; otherwise those are an error
 * @param remedy what to do about that error
 */
export function cellReader(columns: readonly string[], areSome = false, remedy = "use NDJSON instead"): CellReader {
  const outline = outlineOf(columns);
  return (finding) => {
    const cells = new Array<unknown>(columns.length).fill(undefined);
    fill(cells, finding, outline, [], areSome ? undefined : remedy);
    return cells;
  };
}

function outlineOf(columns: readonly string[]): Outline {
  const whole: Outline = { fields: new Map() };
  columns.forEach((path, column) => {
    let outline = whole;
    for (const key of keysOf(path)) {
      const inner = outline.fields.get(key) ?? { fields: new Map() };
      outline.fields.set(key, inner);
      outline = inner;
    }
    outline.column = column;
  });
  return whole;
}

/**
 * @param keys of the value in its finding
 * @param remedy what to do if it has no column; undefined if it is left out then
 */
function fill(
  cells: unknown[],
  value: unknown,
  outline: Outline | undefined,
  keys: readonly string[],
  remedy: string | undefined,
): void {
  if (isNothing(value)) {
    // The cell is empty.
  } else if (remedy === undefined && outline === undefined) {
    // Nobody asked for it.
  } else if (isObject(value) && (outline?.column === undefined || fieldsFit(value, outline))) {
    for (const [key, field] of Object.entries(value)) {
      fill(cells, field, outline?.fields.get(key), [...keys, key], remedy);
    }
  } else if (outline?.column !== undefined) {
    cells[outline.column] = value;
  } else if (remedy !== undefined) {
    // The table has a column for every field unless there are thousands of them, and no field may be lost.
    throw new LimitError(`there is no column for the field ${JSON.stringify(nameOf(keys))}: ${remedy}`);
  }
}

/** Whether each field of an object has a column, or columns for its own fields. */
function fieldsFit(object: object, { fields }: Outline): boolean {
  return Object.entries(object).every(([key, value]) => {
    if (isNothing(value)) return true;
    const outline = fields.get(key);
    return outline !== undefined && (outline.column !== undefined || (isObject(value) && fieldsFit(value, outline)));
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is null, missing, or an object without a value inside, so that an empty cell loses nothing. */
function isNothing(value: unknown): boolean {
  return value == null || (isObject(value) && Object.values(value).every(isNothing));
}
