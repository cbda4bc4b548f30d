/** Findings to export: what texts can do to a file, and the cells that a finding has to come to. */

import { jsonText } from "../../../src/js/core/host/json-text.js";

export type Finding = Record<string, unknown>;

/** Texts that a reader of files might take for something else. */
export const hostile = [
  ...["=1+1", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "  =1", "nice;=cmd|' /C calc'!A0"],
  ...["nice\t=1", "nice,@SUM(1)", "nice\r\n-1", "nice\n+1", 'nice;"=1', "nice;\t1", "nice;", 'nice\t"', "nice\n"],
  ...["nice;'=1", "nice;'", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201", "'=1", "''=1", "'tis", "'", "", " ", '"'],
  ...['""', ',";\t|', "one\ntwo\r\nthree\rfour", "\0 and \u0001", "\u2028\u2029", "\ufeff", "\u202etfel ot thgir"],
  ...["<img src=x onerror=alert(1)>", "null", "true", "-5", "👩‍👩‍👧 é ツ"],
];

/** What the cells of a finding have to be: its values, but for null, which is as empty as a missing one. */
export function cellsOf(finding: Finding, columns: string[]): unknown[] {
  return columns.map((path) => {
    const keys = path.split(".");
    const value = keys.reduce<unknown>((object, key) => (object as Finding | undefined)?.[key], finding) ?? undefined;
    // JSON can spell an infinity, but has no such number.
    if (typeof value === "number" && !Number.isFinite(value)) return undefined;
    const cell = Array.isArray(value) ? jsonText(value) : value;
    return typeof cell === "string" ? cell.toWellFormed() : cell;
  });
}
