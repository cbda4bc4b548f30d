/** The goals of the package in each engine: time, the main thread, all threads and memory, mostly as ratios to the usual way in the same run. */

import { baseline, defaults } from "./contenders.ts";
import { median } from "./rounds.ts";

type Results = import("./run.ts").Results;
/** With the baseline: a figure ÷ its figure, or − its figure, or neither. */
type Comparison = "ratio" | "beyond" | "alone";
/** A figure that is to be at most `must`, and better at most `aim`. */
type Goal = [
  title: string,
  part: string,
  row: string,
  figure: string,
  must: number,
  aim: number,
  comparison?: Comparison,
  tables?: RegExp,
];

const [, objects, table] = defaults;
const inPage = ", worker: false";
const onNetwork = /Mbit\/s$/;
const onLoopback = /^(?!.*Mbit\/s)/;

/** The goals of a figure of a retrieval, for a table and for objects. */
const both = (
  title: string,
  figure: string,
  forTable: [must: number, aim: number],
  forObjects: [must: number, aim: number],
  options = "",
  tables = onLoopback,
): Goal[] => [
  [`${title}, table`, "retrieval", table + options, figure, ...forTable, "ratio", tables],
  [`${title}, objects`, "retrieval", objects + options, figure, ...forObjects, "ratio", tables],
];

const everywhere: Goal[] = [
  ...both("time at 100 Mbit/s", "wall ms", [1.01, 0.99], [1.01, 0.99], "", onNetwork),
  ["longest stall, table, ms", "retrieval", table, "stall ms", 16, 8, "alone", onLoopback],
  ["longest stall, objects, ms", "retrieval", objects, "stall ms", 24, 12, "alone", onLoopback],
  ["second call, 200 findings", "start", objects, "second ms", 1.05, 0.95],
];

export const goals: Record<import("../../../tools/engine.ts").EngineName, Goal[]> = {
  chromium: [
    ...both("time", "wall ms", [0.98, 0.85], [1.15, 0.95]),
    ...both("time, worker: false", "wall ms", [0.9, 0.8], [1.05, 0.9], inPage),
    ...both("main thread", "cpu ms", [0.2, 0.12], [0.5, 0.35]),
    ...both("main thread, worker: false", "cpu ms", [0.65, 0.45], [0.9, 0.65], inPage),
    ...both("main thread at 100 Mbit/s", "cpu ms", [0.2, 0.1], [0.45, 0.3], "", onNetwork),
    ...both("all threads", "all cpu ms", [0.95, 0.75], [1.2, 1]),
    ...everywhere,
    ["first call, table, ms beyond", "start", table, "first ms", 50, 25, "beyond"],
    ["first call, objects, ms beyond", "start", objects, "first ms", 50, 25, "beyond"],
    ["first call, main thread, ms beyond", "start", table, "its cpu ms", 35, 15, "beyond"],
    ...both("heap per finding", "heap B", [0.02, 0], [0.4, 0.3]),
    ["search of ten times the findings, ms", "visit", "table", "search ms", 200, 100, "alone"],
    ["next visit, to the first chart, ms", "visit", "table", "first chart ms", 150, 80, "alone"],
  ],
  firefox: [...both("time", "wall ms", [1.05, 0.85], [1.25, 1]), ...everywhere],
  webkit: [...both("time", "wall ms", [1.1, 0.85], [1.25, 1]), ...everywhere],
};

/** The row of a goal in the report, at the worst of the tables that it is about; undefined if it was not measured. */
export function verdictOn(
  [title, part, row, figure, must, aim, comparison = "ratio", tables = /./]: Goal,
  results: Results,
) {
  const [worst] = Object.entries(results[part] ?? {})
    .filter(([name]) => tables.test(name))
    .map(([of, rows]) => {
      const [own, usual] = [row, baseline].map((name) => median(rows[name]?.[figure]));
      return { of, is: { ratio: own / usual, beyond: own - usual, alone: own }[comparison] };
    })
    .filter(({ is }) => !Number.isNaN(is))
    .toSorted((one, other) => other.is - one.is);
  if (worst === undefined) return undefined;
  const verdict = worst.is <= aim ? "aim" : worst.is <= must ? "must" : "missed";
  return [title, { is: Number(worst.is.toFixed(2)), must, aim, verdict, "worst in": worst.of }] as const;
}
