/** A model of a table, in plain JavaScript over plain findings. */

import { keysOf, valueAt } from "../readers/arrow/streams.js";

export { valueAt };

/** The keys of a column. */
export type Path = string[];

/** The keys of each column, in the order of their first occurrence. */
export function columnsOf(findings: object[]) {
  const columns = new Map<string, Path>();
  const visit = (object: object, above: Path): void => {
    for (const [key, value] of Object.entries(object)) {
      const keys = [...above, key];
      if (isObject(value)) visit(value, keys);
      else if (!columns.has(nameOf(keys))) columns.set(nameOf(keys), keys);
    }
  };
  for (const finding of findings) visit(finding, []);
  return columns;
}

/** The name of a column. */
export function nameOf(keys: Path) {
  return keys.map((key) => key.replaceAll("\\", "\\\\").replaceAll(".", "\\.")).join(".");
}

/** A finding with the fields of these columns and no others. */
export function pruned(finding: object, columns: Path[]): object {
  const kept = Object.entries(finding).flatMap(([key, value]): [string, unknown][] => {
    const below: Path[] = columns.filter(([first]) => first === key).map(([, ...rest]) => rest);
    if (below.some((keys) => keys.length === 0)) return [[key, value]];
    return below.length > 0 && isObject(value) ? [[key, pruned(value, below)]] : [];
  });
  return Object.fromEntries(kept);
}

/** A finding with one more field. */
export function withField(finding: object, key: string, value: unknown): object {
  return Object.fromEntries([...Object.entries(finding), [key, value]]);
}

/** The findings with one more field: the value of what they have under a path. */
export function withValues(findings: object[], key: string, path: Path, values: ReadonlyMap<unknown, unknown>) {
  return findings.map((finding) => {
    const value = values.get(valueAt(finding, path));
    return value === undefined ? finding : withField(finding, key, value);
  });
}

/** One for all values that `JSON.stringify` writes alike, except that infinity is not null. */
export function canonical(value: unknown): unknown {
  if (typeof value === "number") return value + 0;
  if (isObject(value)) return {};
  return Array.isArray(value) ? JSON.parse(JSON.stringify(value)) : value;
}

/** The findings with each combination of values, most frequent first, then the first seen. */
export function groupsOf(findings: object[], paths: Path[]) {
  const keyOf = (finding: object) => paths.map((path) => canonical(valueAt(finding, path)));
  const groups = Map.groupBy(findings, (finding) => textOf(keyOf(finding)));
  return [...groups.values()]
    .map((members) => ({ key: keyOf(members[0] as object), count: members.length, members }))
    .sort((one, other) => other.count - one.count);
}

/** The number of distinct combinations of values, in which none is missing or null. */
export function distinctIn(findings: object[], paths: Path[]) {
  const withValues = findings.filter((finding) => paths.every((path) => (valueAt(finding, path) ?? null) !== null));
  return groupsOf(withValues, paths).length;
}

/** The statistics of the numbers under a path. */
export function statisticsOf(findings: object[], path: Path) {
  const numbers = findings.map((finding) => valueAt(finding, path)).filter((value) => typeof value === "number");
  const sum = numbers.reduce((total, number) => total + number, 0);
  const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
  return { numbers: numbers.length, sum, min, max, mean: sum / numbers.length };
}

/** Whether two values are one key of a group. */
export const isSameKey = (one: unknown, other: unknown) => textOf(canonical(one)) === textOf(canonical(other));

/** A text that equal values share. */
function textOf(value: unknown) {
  // JSON has neither undefined nor infinities.
  const isWritten = (inner: unknown) =>
    (inner ?? null) !== null && (typeof inner !== "number" || Number.isFinite(inner));
  return JSON.stringify([value], (_, inner) => (isWritten(inner) ? inner : { is: `${inner}` }));
}

/** Whether a condition holds for a value. */
function holds(value: unknown, condition: any): boolean {
  if (Array.isArray(condition)) return condition.includes(value);
  if (typeof condition !== "object" || condition === null) return value === condition;
  if (Object.hasOwn(condition, "not")) return !holds(value, condition.not);
  if (Object.hasOwn(condition, "missing")) return value === undefined;
  if (Object.hasOwn(condition, "contains")) {
    return typeof value === "string" && folded(value).includes(folded(condition.contains));
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = condition;
  return typeof value === "number" && value >= min && value <= max;
}

/** A text as `contains` compares it. */
function folded(text: string) {
  return text.toLowerCase().replaceAll("ς", "σ");
}

/** Whether a finding meets all conditions. */
export function meets(finding: object, where: Record<string, unknown>) {
  return Object.entries(where).every(([name, condition]) => holds(valueAt(finding, keysOf(name)), condition));
}

/** The findings in the order of some columns, the most important first. */
export function sortBy(findings: object[], paths: Path[], directions: ("asc" | "desc" | undefined)[]) {
  return findings.toSorted((one, other) => {
    for (const [place, path] of paths.entries()) {
      const [left, right] = [valueAt(one, path), valueAt(other, path)];
      const isLast = [left, right].some((value) => rank(value) >= rank(null));
      const order = rank(left) - rank(right) || compare(comparable(left), comparable(right));
      if (order !== 0) return isLast || directions[place] !== "desc" ? order : -order;
    }
    return 0;
  });
}

function rank(value: unknown) {
  const kinds = ["number", "string", "boolean", "object", "null", "undefined"];
  return kinds.indexOf(value === null ? "null" : typeof value);
}

function comparable(value: unknown) {
  return Array.isArray(value) ? JSON.stringify(value) : isObject(value) ? "" : value;
}

function compare(left: any, right: any) {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Whether a value is an object with fields, and no array. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
