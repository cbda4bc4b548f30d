// The findings that meet conditions.

import type { Columns } from "../../engine/engine.js";
import type { TableData } from "../table-data.js";
import { columnOf } from "./column.js";
import { conditionsOf } from "./condition.js";
import { checkTypes } from "./condition-type.js";

/** Selects the findings that meet all conditions of at least one alternative. */
export function filtered(table: TableData, where: unknown): Columns {
  const alternatives = Array.isArray(where) ? Array.from(where) : [where];
  const conditions = conditionsOf(alternatives);
  const { columns } = table;
  checkTypes(
    conditions,
    (name, sought) => columns.kinds(name, sought),
    (name) => columnOf(table, name),
  );
  return columns.filter(alternatives.length, conditions);
}
