// A cross tabulation as the rows of a file: bases on top, shares as per cents, letters beside them, and a line that says how they came about.

import { itemsOf } from "../../core/argument/passed-object.js";
import { refusal } from "../../core/argument/refusal.js";
import { isObject, memberOf } from "../../core/host/member.js";
import type { CrosstabCell, CrosstabResult, CrosstabRow } from "../survey/crosstab-result.js";
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
  if (values === "interval" && given.counts === "findings")
    throw refusal('shares of findings have no intervals: pass distinct to crosstab, or values: "share"');
  const isShare = values !== "count";
  const bases = isShare || given.bases !== "findings" || given.isWeighted ? basesOf(given) : [];
  const ofRows = share === "row" ? bases : [];
  // What stands beside each cell.
  const beside = Object.entries<(cell: CrosstabCell) => unknown>({
    ...(values === "interval" && { low: ({ low }) => shareOf(low), high: ({ high }) => shareOf(high) }),
    ...(compare && { "sig.": lettersOf }),
  });
  const names = columns.map((column) => `${nameOf(column)}${column.letter ? ` (${column.letter})` : ""}`);
  const none = () => undefined;
  const line = (name: string, of: (column: CrosstabRow) => unknown, last?: unknown) => [
    ...[name, ...ofRows.map(none)],
    ...columns.flatMap((column) => [of(column), ...beside.map(none)]),
    ...(isShare ? [] : [last]),
  ];
  const heading = names.flatMap((name) => [name, ...beside.map(([heading]) => `${name} ${heading}`)]);
  const all = ["", ...ofRows.map(({ name }) => name), ...heading, ...(isShare ? [] : ["total"])];
  const body = rows.map((row, i) => {
    const own = cells.slice(i * columns.length, (i + 1) * columns.length).flatMap((cell) => {
      const isHidden = cell.isSmall && cell.base !== null;
      const shown = isHidden ? HIDDEN : isShare ? shareOf(cell.share) : cell.count;
      return [shown, ...beside.map(([, of]) => of(cell))];
    });
    return [nameOf(row), ...ofRows.map(({ of }) => of(row)), ...own, ...(isShare ? [] : [row.total])];
  });
  const baseIn = (column: CrosstabRow) => (share === "total" ? { ...given, base: total } : column);
  const top = share === "row" ? [] : bases.map(({ name, of }) => line(name, (column) => of(baseIn(column))));
  const totals = isShare ? [] : [line("total", (column) => column.total, total)];
  const foot = footOf(given, values).map((text) => line(text, none));
  const lines = [...top, ...body, ...totals, ...foot];
  return { columns: unique(all), length: lines.length, rows: (from, to) => lines.slice(from, to) };
}

/** A share, unless it is unknown. Of JSON, it may be anything. */
function shareOf(share: unknown): Share | undefined {
  return Number.isFinite(share) ? new Share(share as number) : undefined;
}

/** The letters of a cell; in parentheses those of few people. */
function lettersOf({ letters, smallLetters }: CrosstabCell): string | undefined {
  if (!smallLetters) return letters || undefined;
  const [all, small] = [letters, smallLetters].map((list) => list.split(list.includes(" ") ? " " : "")) as [
    string[],
    string[],
  ];
  const own = all.filter((letter) => !small.includes(letter)).join(letters.includes(" ") ? " " : "");
  return `${own}(${smallLetters})`;
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

/** The last line, if any: what letters and hidden cells mean, and what is not shown. */
function footOf({ compare, leastBase, isWeighted, cells, leftOut }: CrosstabResult, values: CellValues): string[] {
  const percent = (level: number) => `${+(100 * level).toFixed(4)} %`;
  const parts = values === "interval" ? [`Intervals: ${percent(compare?.level ?? 0.95)} (Wilson)`] : [];
  if (compare) {
    const others = {
      each: "each pair of columns",
      previous: "each column and the one before",
      first: "each column and the first",
      rest: "each column and all others (↑ ↓)",
    };
    parts.push(
      `Significance: ${percent(compare.level)}, two-sided z tests of ${others[compare.with]}${isWeighted ? " on effective bases" : ""}`,
    );
    parts.push(`correction: ${compare.correction}`);
    if (compare.overlap !== undefined) parts.push(`people in two columns: ${compare.overlap}`);
    if (compare.leastBase > 0) parts.push(`no test below an effective base of ${compare.leastBase}`);
  }
  if (cells.some(({ smallLetters }) => smallLetters)) parts.push("( ) fewer than 5 expected");
  if (leastBase > 0) parts.push(`${HIDDEN} base below ${leastBase}`);
  if (leftOut > 0) parts.push(`${leftOut} further rows are left out, or united in one`);
  return parts.length === 0 ? [] : [parts.join("; ")];
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
