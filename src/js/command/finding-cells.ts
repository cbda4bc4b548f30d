// The cells of a finding: one value for each column, as a line of CSV and a row of a sheet have them.

import { keysOf } from "../table/column-path.js";

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
 * Returns a reader of cells. A missing field, null and an empty object are undefined.
 *
 * @param columns all columns of the findings, by their names in a table
 */
export function cellReader(columns: readonly string[]): CellReader {
  const outline = outlineOf(columns);
  return (finding) => {
    const cells = new Array<unknown>(columns.length).fill(undefined);
    fill(cells, finding, outline);
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

function fill(cells: unknown[], object: object, { fields }: Outline): void {
  for (const [key, value] of Object.entries(object)) {
    const outline = fields.get(key);
    if (outline !== undefined && hasFieldsIn(value, outline)) {
      fill(cells, value, outline);
    } else if (isNothing(value)) {
      // The cell is empty.
    } else if (outline?.column !== undefined) {
      cells[outline.column] = value;
    } else {
      // The table has a column for every field unless there are thousands of them, and no field may be lost.
      throw new Error(`There is no column for the field ${JSON.stringify(key)}. Export to a .ndjson file instead.`);
    }
  }
}

/** Whether a value is an object and each of its fields has a column. */
function hasFieldsIn(value: unknown, { fields }: Outline): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    fields.size > 0 &&
    Object.keys(value).every((key) => fields.has(key))
  );
}

/** Whether a value is null, missing or an empty object, so that an empty cell loses nothing. */
function isNothing(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value) && Object.keys(value ?? {}).length === 0;
}
