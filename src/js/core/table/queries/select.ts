// A copy of some columns.

import type { Columns } from "../../engine/engine.js";
import { columnList } from "../column-list.js";
import type { TableData } from "../table-data.js";
import { columnNames } from "./query-arguments.js";

/** Copies the columns with these names, which are arguments or one list. */
export function selected(table: TableData, names: readonly unknown[]): Columns {
  const list = columnList(columnNames(names.length === 1 ? names[0] : names), "names");
  return table.columns.select(list);
}
