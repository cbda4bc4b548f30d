// The findings that meet conditions.

import { refusal } from "../../argument/refusal.js";
import type { Columns } from "../../engine/engine.js";
import { isObject } from "../../host/member.js";
import type { TableData } from "../table-data.js";
import { columnOf } from "./column.js";
import { conditionsOf } from "./conditions.js";

/** Selects the findings that meet all conditions of at least one alternative. */
export function filtered(table: TableData, [where, another]: readonly unknown[]): Columns {
  // A method that calls this for each item of a list also passes the number of the item.
  if (isObject(another)) {
    throw refusal(
      "filter takes one argument: pass { ...a, ...b } to meet all conditions, or [a, b] to meet those of one",
    );
  }
  // Reading conditions may run code of the caller, which may free this table.
  const conditions = conditionsOf(where);
  const { columns } = table;
  return conditions.filter({ columns, values: (name) => columnOf(table, name) });
}
