/** The result of a query as a table of the page. */

import { make } from "../page/element.js";
import type { QueryResult } from "./database.js";

export function resultTable({ columns, rows }: QueryResult): HTMLElement {
  const look = columns.map(({ isNumber }) => (isNumber ? "sql-number" : "sql-text"));
  const cellOf = (text: string | null, column: number) =>
    text === null
      ? make("td", { class: `${look[column]} sql-null` }, "NULL")
      : make("td", { class: `${look[column]}`, dir: "auto" }, text);
  const heads = columns.map(({ name }, column) =>
    make("th", { scope: "col", class: `${look[column]}`, dir: "auto" }, name),
  );
  return make(
    "table",
    { class: "sql-rows" },
    make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map(cellOf)))),
  );
}
