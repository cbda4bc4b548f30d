// The order that the names of rows and columns say: numbers, bands, dates, months, periods with a year, and versions.

import { described, refusal } from "../../core/argument/refusal.js";
import { keyIdentity, textOf, valueOfKey } from "./axis.js";
import type { CompareOptions } from "./compare-options.js";

/** The order of the keys of an axis: by their totals, as given, or a list of keys that come first. */
export type KeyOrder = "total" | "given" | readonly unknown[] | undefined;

/** Reads a name: a text that names of one format share, and the numbers to sort by. */
type Reading = (name: string) => readonly [format: string, numbers: number[]] | undefined;

const MONTHS = "january february march april may june july august september october november december".split(" ");

/** The words that make a year of two digits after them, such as `Q4 25`. After another word, these may be anything. */
const PERIOD = /^(?:[hmpqrstw]|wk|[ck]w|half|month|period|phase|quarter|round|season|semester|term|wave|week)$/;

/** The parts of dates and periods, by the letters that stand for them in {@link CALENDAR}. */
const PARTS: Readonly<Record<string, string>> = {
  Y: String.raw`(?<mark>\((?:[fc]y ?)?|[fc]y ?'?|')?(?<year>(?:19|20)?\d\d)(?:[-/](?<next>(?:20)?\d\d))?\)?`,
  C: String.raw`(?<year>(?:19|20)\d\d)`,
  E: String.raw`(?<year>(?:19|20)?\d\d)`,
  // Of a month that a decimal could be, only a year up to 2039: a rating of 4.75 is none.
  F: String.raw`(?<year>[0-3]\d)`,
  G: String.raw`(?<year>\d\d)-(?<next>\d\d)`,
  M: String.raw`(?<month>\d\d?)`,
  B: String.raw`(?<name>[a-z]{3,9})\.?`,
  D: String.raw`(?<day>\d\d?)(?:st|nd|rd|th)?`,
  T: String.raw`(?:[t ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d(?:\.\d+)?))?z?)?`,
  P: String.raw`(?<word>[a-z]+)[ -]?(?<number>\d\d?)`,
  V: String.raw`v?(?<hour>\d{1,3})\.(?<minute>0|[1-9]\d?)`,
  W: String.raw`\.(?<second>0|[1-9]\d?)`,
  N: String.raw`(?<number>\d\d?)(?:st|nd|rd|th)? ?(?<word>[a-z]+)`,
  _: "[ ,./_-]*",
  // Two numbers need something between them: R0112 is no year.
  S: String.raw`(?:[ ,./_-]+|(?=\D))`,
};

/** How dates, periods, and versions of three parts are written. */
const CALENDAR = [
  ...["C[-/.]M[-/.]DT", "C[-/.]M", "M[-/.]C", "D[.] ?M[.] ?E", "D/M/E", "M/D/E", "D-M-E", "M-D-E", "E-M-D", "VW"],
  ...["M/E", "M/D", "D/M", "F/M", "D[.] ?M[.]", "B", "B_Y", "Y_B", "D[. -]*B", "D[. -]*B_Y", "B ?D,? C"],
  ...["PSY", "N_Y", "Y_P", "YSN", "Y"],
].map(readingOf);

function readingOf(format: string): Reading {
  const pattern = new RegExp(`^${format.replace(/[A-Z_]/g, (part) => PARTS[part] as string)}$`);
  return (name) => {
    const parts = pattern.exec(name)?.groups;
    if (parts === undefined) return undefined;
    const { mark, year = "", next, word = "", name: named, number, day = 1, hour, minute, second } = parts;
    // Two digits alone, or in parentheses, may be anything.
    const isBare = year.length === 2 && (mark ?? "(") === "(";
    if (isBare && (word === "" ? format === "Y" : !PERIOD.test(word))) return undefined;
    const own = Number(year) + (year.length !== 2 ? 0 : Number(year) < 70 ? 2000 : 1900);
    const month = Number(named === undefined ? (parts.month ?? 1) : monthOf(named));
    const isWrong = month < 1 || month > 12 || Number(day) < 1 || Number(day) > 31 || monthOf(word) > 0;
    if (isWrong || (next !== undefined && Number(next) % 100 !== (own + 1) % 100)) return undefined;
    return [word, [own, month, number, day, hour, minute, second].map((part) => Number(part ?? 0))];
  };
}

/** The words and signs of a band without an end. */
const BELOW = "under|below|less than|fewer than|up to|at most|<=?|≤";
const ABOVE = "over|above|more than|at least|from|>=?|≥";
const NUMBER = String.raw`[-+]?\d+(?:\.\d+)?`;
const BAND = new RegExp(
  `^(?:(${BELOW})|(${ABOVE}))? ?(${NUMBER})(?: ?(?:-|to)(?: ?(?:${BELOW}))? ?(${NUMBER}))?(\\D*)$`,
);
/** A unit: numbers of different units have no order. */
const UNIT =
  /(?<=\d\+?)[a-z]+|(?<= )(?:(?:sec(?:ond)?|min(?:ute)?|h(?:ou)?r|day|week|month|yr|year)s?|h|thousand|million|billion|k|m|g|km|kg)\b/g;

/** Reads numbers and bands, whose thousands and decimals are written as in English, or as on the continent. */
function bandOf(name: string, isEnglish: boolean): ReturnType<Reading> {
  if (/^\d+$/.test(name)) return ["", [Number(name), Number(name)]];
  const units = new Set<string>();
  const plain = name
    .replace(/[\p{Sc}%]/gu, "")
    .replace(/ +/g, " ")
    .trim()
    .replace(/(\d)(?:st|nd|rd|th)\b/g, "$1")
    .replace(UNIT, (unit) => {
      units.add(unit.replace(/s$/, ""));
      return " ";
    })
    .replace(isEnglish ? /(?<=\d)[, '](?=\d{3}(?!\d))/g : /(?<=\d)[. '](?=\d{3}(?!\d))/g, "");
  // Three digits after a comma are thousands.
  const written = isEnglish ? plain : plain.replace(/(?<=\d),(?=\d{1,2}(?!\d)|\d{4})/g, "_");
  if (!isEnglish && /\d\.\d/.test(written)) return undefined;
  const [, below, above, low, high, rest = ""] = BAND.exec(written.replace(/_/g, ".")) ?? [];
  if (low === undefined) return undefined;
  const isOpen = above !== undefined || /^ ?\+|\b(?:and|or) (?:over|more|above|older|up|higher)\b/.test(rest);
  const isUpTo = below !== undefined || /\b(?:and|or) (?:under|less|fewer|below|younger|lower)\b/.test(rest);
  const [from, to] = [Number(low), Number(high ?? low)];
  // 25-12 is December 2025.
  if (from > to) return undefined;
  return [[...units].join(), [isUpTo ? Number.NEGATIVE_INFINITY : from, isOpen ? Number.POSITIVE_INFINITY : to]];
}

/** How numbers and bands are written, and what else looks like one: versions, months with a year, and days. */
const NUMBERS: readonly Reading[] = [
  ...[false, true].map((isEnglish) => (name: string) => bandOf(name, isEnglish)),
  ...["V", "G", "M[-.]F", "F[-.]M", "(?=.*[-.]..$)D[-.]M", "(?=..[-.]..$)M[-.]D"].map(readingOf),
];

/**
 * Returns for each key the numbers that it is sorted by, if the keys are numbers, or if all are names that can be read in one way only. Decimals and bands may
 * also be versions or months, such as 1.10 and 01-26, if their order is the same.
 */
export function ownOrder(keys: readonly unknown[]): number[][] | undefined {
  if (keys.every((key) => typeof key === "number" || typeof key === "boolean")) return keys.map((key) => [Number(key)]);
  if (!keys.every((key) => typeof key === "string")) return undefined;
  const names = keys.map(plainName);
  const common = commonBeginning(names).length;
  const short = names.map((name) => name.slice(common));
  // Without marks, thousands and decimals are written in one way.
  const haveMarks = short.some((name) => /\d[.,' ]\d/.test(name));
  for (const [list, readings, textOf] of [
    [names, CALENDAR, String],
    [short, NUMBERS.slice(haveMarks ? 0 : 1), ranksOf],
  ] as const) {
    const found = readings.map((reading) => readAll(list, reading)).filter((read) => read !== undefined);
    const [first] = found;
    if (first !== undefined) return found.length === 1 || new Set(found.map(textOf)).size === 1 ? first : undefined;
  }
  return undefined;
}

/** The places of numbers in their order, as text. */
function ranksOf(read: readonly number[][]): string {
  const places = [...read.keys()];
  return places.sort((one, other) => compareNumbers(read[one] as number[], read[other] as number[])).join();
}

/** Reads all names; undefined if one cannot be read, if two say the same, or if they are of two formats. */
function readAll(names: readonly string[], reading: Reading): number[][] | undefined {
  const read: number[][] = [];
  const [formats, seen] = [new Set<string>(), new Set<string>()];
  for (const name of names) {
    const [format, numbers] = reading(name) ?? [];
    if (format === undefined || numbers === undefined) return undefined;
    formats.add(format);
    seen.add(numbers.join());
    if (formats.size > 1 || seen.size <= read.length) return undefined;
    read.push(numbers);
  }
  return read;
}

/** A name in lower case, with one kind of dashes, quotes and spaces. */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/\p{Pd}|−/gu, "-")
    .replace(/[‘’`]/g, "'")
    .replace(/\s+/g, " ")
    .trim();
}

/** What all names begin with, before the number and its sign. */
function commonBeginning([first = "", ...others]: readonly string[]): string {
  let length = first.search(/\d|$/);
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length).replace(/(^| )[-+]$/, "$1");
}

/** The number of a month, from 1; 0 for another word. */
function monthOf(word: string): number {
  return word.length < 3 ? 0 : MONTHS.findIndex((month) => month.startsWith(word)) + 1;
}

/** Compares lists of numbers of the same length. */
export function compareNumbers(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, at) => number !== other[at]);
  return at === -1 ? 0 : (one[at] as number) - (other[at] as number);
}

/**
 * Refuses to compare each column or group with the one before, or with the first, if neither the names nor the caller say which that is.
 *
 * @param keys in their order, without null
 * @param option the name of the option that says it
 */
export function checkOrder(
  whom: CompareOptions["with"],
  keys: readonly unknown[],
  order: KeyOrder,
  option: string,
): void {
  if ((whom !== "previous" && whom !== "first") || keys.length < 2) return;
  const listed = new Set(typeof order === "object" ? order.map(keyIdentity) : []);
  const needed = keys.slice(0, whom === "first" ? 1 : -1);
  if (order === "total" || order === "given" || needed.every((key) => listed.has(keyIdentity(key)))) return;
  if (order === undefined && ownOrder(keys.map(valueOfKey)) !== undefined) return;
  throw refusal(
    `compare with ${described(whom)} needs an order, and the names do not say one: ${keys.slice(0, 5).map(textOf).join(", ")}. List them in ${option}`,
  );
}
