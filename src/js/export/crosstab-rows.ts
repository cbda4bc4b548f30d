// A cross tabulation as the rows of a file: bases on top, shares as per cents, letters beside them, and a line that says how they came about.

import { itemsOf } from "../argument/passed-object.js";
import { refusal } from "../argument/refusal.js";
import { isObject, memberOf } from "../host/member.js";
import type { CrosstabResult, CrosstabRow } from "../survey/crosstab-result.js";
import { type CellValues, type ExportedRows, Share } from "./row-source.js";

/** What stands in a cell whose base is too small. */
const HIDDEN = "*";

/** Makes the rows of a cross tabulation. Checks what is forged or broken. */
export function crosstabRows(given: CrosstabResult, values: CellValues = given.values ?? "count"): ExportedRows {
  const expected = "a result of crosstab";
  const [rows, columns, cells] = (["rows", "columns", "cells"] as const).map((name) =>
    itemsOf(memberOf(given, name), `${name} of the cross tabulation`, expected),
  ) as unknown as [CrosstabResult["rows"], CrosstabResult["columns"], CrosstabResult["cells"]];
  const isWhole = [rows, columns, cells].every((list) => list.every(isObject));
  if (!isWhole || cells.length !== rows.length * columns.length) {
    throw refusal(`what is exported must be ${expected}; got ${cells.length} cells for ${rows.length} rows`);
  }
  const { share, compare, total } = given;
  const isShare = values === "share";
  const bases = isShare || given.bases !== "findings" || given.isWeighted ? basesOf(given) : [];
  const ofRows = share === "row" ? bases : [];
  const names = columns.map((column) => `${nameOf(column)}${column.letter ? ` (${column.letter})` : ""}`);
  const withLetters = (list: readonly unknown[], letters: (at: number) => unknown) =>
    compare === undefined ? list : list.flatMap((value, at) => [value, letters(at)]);
  const none = ofRows.map(() => undefined);
  const line = (name: string, list: readonly unknown[], last?: unknown) => [
    ...[name, ...none, ...withLetters(list, () => undefined)],
    ...(isShare ? [] : [last]),
  ];
  const heading = withLetters(names, (at) => `${names[at]} sig.`) as string[];
  const all = ["", ...ofRows.map(({ name }) => name), ...heading, ...(isShare ? [] : ["total"])];
  const body = rows.map((row, i) => {
    const own = cells.slice(i * columns.length, (i + 1) * columns.length);
    const shown = own.map((cell) => {
      if (cell.isSmall && cell.base !== null) return HIDDEN;
      if (!isShare) return cell.count;
      // Of JSON, it may be anything.
      return Number.isFinite(cell.share) ? new Share(cell.share as number) : undefined;
    });
    const marked = withLetters(shown, (at) => own[at]?.letters || undefined);
    return [nameOf(row), ...ofRows.map(({ of }) => of(row)), ...marked, ...(isShare ? [] : [row.total])];
  });
  const top =
    share === "row"
      ? []
      : bases.map(({ name, of }) =>
          line(
            name,
            columns.map((column) => of(share === "total" ? { ...given, base: total } : column)),
          ),
        );
  const totals = isShare
    ? []
    : [
        line(
          "total",
          columns.map((column) => column.total),
          total,
        ),
      ];
  const foot = footOf(given);
  const lines = [
    ...top,
    ...body,
    ...totals,
    ...(foot === undefined
      ? []
      : [
          line(
            foot,
            columns.map(() => undefined),
          ),
        ]),
  ];
  return { columns: unique(all), length: lines.length, rows: (from, to) => lines.slice(from, to) };
}

/** The bases: what they are called, and what they are of a row or a column. */
function basesOf({ counts, isWeighted }: CrosstabResult) {
  type Of = Pick<CrosstabRow, "base" | "weighted" | "effective">;
  const people = counts === "findings" ? "findings" : "people";
  const weighted = [
    { name: "Base: weighted", of: ({ weighted }: Of): unknown => weighted },
    { name: "Effective base", of: ({ effective }: Of): unknown => effective },
  ];
  return [
    { name: `Base: ${people}`, of: ({ base }: Of): unknown => base ?? undefined },
    ...(isWeighted ? weighted : []),
  ];
}

/** The last line: what letters and hidden cells mean. */
function footOf({ compare, leastBase, isWeighted }: CrosstabResult): string | undefined {
  const parts: string[] = [];
  if (compare) {
    const level = `${+(100 * compare.level).toFixed(4)} %`;
    const others = {
      each: "each pair of columns",
      previous: "each column and the one before",
      first: "each column and the first",
      rest: "each column and all others (↑ ↓)",
    };
    parts.push(
      `Significance: ${level}, two-sided z tests of ${others[compare.with]}${isWeighted ? " on effective bases" : ""}`,
    );
    parts.push(`correction: ${compare.correction}`);
    if (compare.overlap !== undefined) parts.push(`people in two columns: ${compare.overlap}`);
    if (compare.leastBase > 0) parts.push(`no test below an effective base of ${compare.leastBase}`);
  }
  if (leastBase > 0) parts.push(`${HIDDEN} base below ${leastBase}`);
  return parts.length === 0 ? undefined : parts.join("; ");
}

function nameOf({ of, key }: CrosstabRow): string {
  return of === undefined ? textOf(key) : `${of}: ${textOf(key)}`;
}

/** The key of a row or a column as text. */
function textOf(key: unknown): string {
  if (Array.isArray(key)) return key.map(textOf).join(" · ");
  return key === null || key === undefined ? "(none)" : isObject(key) ? JSON.stringify(key) : String(key);
}

/** Numbers the names that occur again: readers take columns by their names. */
function unique(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let number = 2; used.has(own); number++) own = `${name} ${number}`;
    used.add(own);
    return own;
  });
}
