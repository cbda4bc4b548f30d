// A table as CSV, for spreadsheets.

/**
 * Writes columns of a table as CSV.
 * @param {import("inspection-findings").FindingsTable} table
 */
export function csvOf(table, names = table.columns) {
  const columns = names.map((name) => table.column(name));
  const rows = Array.from({ length: table.length }, (_, row) => columns.map((column) => column[row]));
  return [names, ...rows].map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
}

/** @param {unknown} value */
function cellOf(value) {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value ?? "").replace(/^""$/, "");
  // A spreadsheet runs a cell that begins like a formula, and may split a text at a separator or a quote.
  return `"${text.replace(/(?<=^|[,;"\t\r\n])(?=[=+\-@\t\r])/g, "'").replaceAll('"', '""')}"`;
}
