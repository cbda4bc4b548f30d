// The findings that meet conditions.

import { described, refusal } from "../../argument/refusal.js";
import type { Columns } from "../../engine/engine.js";
import { ownError } from "../../error/call-stack.js";
import { isObject } from "../../host/member.js";
import type { TableData } from "../table-data.js";
import { columnOf } from "./column.js";
import { conditionsOf } from "./condition.js";
import { checkTypes } from "./condition-type.js";

/** The members of a condition. */
const MEMBERS = ["min", "max", "contains", "missing", "not"];

/** Selects the findings that meet all conditions of at least one alternative. */
export function filtered(table: TableData, [where, another]: readonly unknown[]): Columns {
  // A method that calls this for each item of a list also passes the number of the item.
  if (isObject(another)) {
    throw refusal(
      "filter takes one argument: pass { ...a, ...b } to meet all conditions, or [a, b] to meet those of one",
    );
  }
  const alternatives = Array.isArray(where) ? Array.from(where) : [where];
  const conditions = conditionsOf(alternatives);
  const { columns } = table;
  try {
    checkTypes(
      conditions,
      (name, sought) => columns.kinds(name, sought),
      (name) => columnOf(table, name),
    );
    return columns.filter(alternatives.length, conditions);
  } catch (error) {
    const alone = conditions.find(([, name]) => MEMBERS.includes(name) && !columns.names().includes(name));
    if (!(error instanceof RangeError) || alone === undefined) throw error;
    const example = `{ ${described(columns.names()[0] ?? "Sentiment")}: { ${alone[1]}: … } }`;
    throw ownError(new RangeError(`${error.message}; a condition needs the name of its column: ${example}`));
  }
}
