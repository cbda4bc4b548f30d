// The columns of several tables as one.

import type { Columns } from "../../engine/engine.js";
import { emptyColumns, isEmptyColumns } from "../empty-columns.js";

/** Joins the columns of tables. */
export function joinedColumns(all: readonly Columns[]): Columns {
  // The first table of a live table has no columns yet, and is of no instance of the module.
  const some = all.filter((columns) => !isEmptyColumns(columns));
  const [first = emptyColumns()] = some;
  return some.length > 1 ? joinedByHalves(some) : first.filter(1, []);
}

/** Joins two tables or more, by halves: so each chunk is added to few of them. */
function joinedByHalves(all: readonly Columns[]): Columns {
  const middle = all.length >> 1;
  const halves = [all.slice(0, middle), all.slice(middle)];
  const [one, other] = halves.map((half) => (half.length > 1 ? joinedByHalves(half) : half[0])) as [Columns, Columns];
  const both = one.concat(other);
  for (const half of [one, other]) if (!all.includes(half)) half.free();
  return both;
}
