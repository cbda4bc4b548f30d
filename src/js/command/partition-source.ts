// The findings of a partition as the service wrote them: the bytes of each, and integers that a double would round.

import { Buffer } from "node:buffer";
import { keysOf, memberAt, nameOf } from "../table/column-path.js";

/** Copies the bodies of partitions while a client reads them. Pass {@link fetch} to the client, which checks each body as always. */
export class BodyCopies {
  readonly #bodies = new Map<number, Promise<ArrayBuffer | undefined>>();

  readonly fetch: typeof fetch = async (href, init) => {
    const response = await fetch(href, init);
    const index = /\/(?:Sentiment|Topics)\/(\d+)$/.exec(String(href))?.[1];
    if (index !== undefined && response.ok) {
      // The copy fails where the body does, and then the client requests the partition again, or fails.
      const copy = response.clone().arrayBuffer();
      this.#bodies.set(
        Number(index),
        copy.catch(() => undefined),
      );
    }
    return response;
  };

  /** Returns the body of a partition that the client has read, and drops the copy. */
  async take(index: number): Promise<Buffer> {
    const body = await this.#bodies.get(index);
    this.#bodies.delete(index);
    if (body === undefined) throw new Error(`the body of partition ${index} has not been copied`);
    return Buffer.from(body);
  }
}

/** The findings of a partition, each on a line. */
export class PartitionSource {
  /** The lines, in UTF-8. Each ends with a line feed. */
  readonly lines: Buffer;
  #large: ReadonlyMap<number, object> | undefined;

  constructor(lines: Buffer) {
    this.lines = lines;
  }

  /** @param body of a partition, which has been checked */
  static of(body: Buffer): PartitionSource {
    const parts = findingRanges(body).flatMap(([start, end]) => [inOneLine(body.subarray(start, end)), LINE_FEED]);
    return new PartitionSource(Buffer.concat(parts));
  }

  /** The names of the columns with an integer that a double would round, or with an array or object that contains one. */
  get columns(): Set<string> {
    const names = new Set<string>();
    for (const finding of this.#findings.values()) addColumns(names, [], finding);
    return names;
  }

  /** The findings as the body of a partition. */
  get body(): Buffer<ArrayBuffer> {
    const items = Buffer.from(this.lines.subarray(0, -1));
    for (let at = items.indexOf(LINE_FEED); at !== -1; at = items.indexOf(LINE_FEED, at)) items[at] = COMMA;
    return Buffer.concat([Buffer.from('{"Findings":['), items, Buffer.from("]}")]);
  }

  /**
   * Adds members to findings.
   *
   * @param membersOf returns the members of a finding as JSON, such as `"a":1,"b":2`; an empty text if it gets none. The integers
   * of the finding are exact
   */
  withMembers(membersOf: (finding: object) => string): PartitionSource {
    const lines = this.#lines().map((line, row) => {
      const finding: object = this.finding(row) ?? JSON.parse(line.toString());
      const members = membersOf(finding);
      const comma = members === "" || Object.keys(finding).length === 0 ? "" : ",";
      return [line.subarray(0, -1), Buffer.from(`${comma}${members}}\n`)];
    });
    return new PartitionSource(Buffer.concat(lines.flat()));
  }

  /** Adds the number of each finding, from 0, under a key that it does not have. */
  numbered(key: string): PartitionSource {
    const label = JSON.stringify(key);
    const lines = this.#lines().map((line, row) => {
      const comma = line[afterSpace(line, 1)] === CLOSING_BRACE ? "" : ",";
      return [line.subarray(0, -1), Buffer.from(`${comma}${label}:${row}}\n`)];
    });
    return new PartitionSource(Buffer.concat(lines.flat()));
  }

  /** Keeps the findings with these numbers. */
  rows(numbers: readonly number[]): PartitionSource {
    const lines = this.#lines();
    return new PartitionSource(Buffer.concat(numbers.flatMap((number) => [lines[number] as Buffer, LINE_FEED])));
  }

  /** Keeps the columns with these names. The name of an object stands for all fields below it. */
  select(names: readonly string[]): PartitionSource {
    const kept = keptOf(names.map(keysOf));
    const lines = this.#lines().flatMap((line) => [...keptMembers(line, 0, kept), LINE_FEED]);
    return new PartitionSource(Buffer.concat(lines));
  }

  /** The lines without their ends. */
  #lines(): Buffer[] {
    const lines: Buffer[] = [];
    for (let start = 0; start < this.lines.length; ) {
      const end = this.lines.indexOf(LINE_FEED, start);
      lines.push(this.lines.subarray(start, end));
      start = end + 1;
    }
    return lines;
  }

  /** Returns a finding with such integers as `bigint`; undefined if it has none. */
  finding(row: number): object | undefined {
    const finding = this.#findings.get(row);
    return finding && (unmarked(finding) as object);
  }

  /** Replaces the values of a column that are or contain such integers. */
  replaceIn(values: unknown[], column: string): void {
    const keys = keysOf(column);
    for (const [row, finding] of this.#findings) values[row] = unmarked(memberAt(finding, keys));
  }

  /** The findings with such integers, marked, by row. */
  get #findings(): ReadonlyMap<number, object> {
    this.#large ??= findingsWithLargeIntegers(this.lines);
    return this.#large;
  }
}

const LINE_FEED = Buffer.from("\n");

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Where each finding begins and ends in a valid body. */
function findingRanges(body: Buffer): [start: number, end: number][] {
  // A byte order mark is skipped.
  const start = body.subarray(0, 3).equals(Buffer.from("\ufeff")) ? 3 : 0;
  let ranges: [number, number][] = [];
  // The last of several members with this name counts, as for `JSON.parse`.
  for (let at = afterSpace(body, afterSpace(body, start) + 1); body[at] !== CLOSING_BRACE; ) {
    const colon = afterSpace(body, stringEnd(body, at));
    const isFindings = JSON.parse(body.toString("utf8", at, stringEnd(body, at))) === "Findings";
    const value = afterSpace(body, colon + 1);
    const end = valueEnd(body, value);
    if (isFindings && body[value] === OPENING_BRACKET) ranges = itemRanges(body, value);
    at = afterSpace(body, end);
    if (body[at] === COMMA) at = afterSpace(body, at + 1);
  }
  return ranges;
}

/** What is kept of a value: all of it, or the members of an object with these keys. */
type Kept = true | Map<string, Kept>;

function keptOf(paths: readonly (readonly string[])[]): Map<string, Kept> {
  const whole = new Map<string, Kept>();
  for (const keys of paths) {
    let kept: Kept = whole;
    for (const [depth, key] of keys.entries()) {
      if (kept === true) break;
      const known = kept.get(key);
      const below: Kept = depth === keys.length - 1 ? true : (known ?? new Map());
      kept.set(key, below);
      kept = below;
    }
  }
  return whole;
}

/** The object that begins here with the members that are kept, in its bytes. A value in place of an object has no members. */
function keptMembers(json: Buffer, start: number, kept: Map<string, Kept>): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = afterSpace(json, start + 1); json[at] !== CLOSING_BRACE; ) {
    const keyEnd = stringEnd(json, at);
    const value = afterSpace(json, afterSpace(json, keyEnd) + 1);
    const end = valueEnd(json, value);
    const below = kept.get(JSON.parse(json.toString("utf8", at, keyEnd)));
    const member =
      below === true
        ? [json.subarray(value, end)]
        : below !== undefined && json[value] === OPENING_BRACE
          ? keptMembers(json, value, below)
          : [];
    if (member.length > 0) parts.push(Buffer.from(parts.length > 0 ? "," : ""), json.subarray(at, value), ...member);
    at = afterSpace(json, end);
    if (json[at] === COMMA) at = afterSpace(json, at + 1);
  }
  return [Buffer.from("{"), ...parts, Buffer.from("}")];
}

/** Where each item of an array begins and ends. */
function itemRanges(json: Buffer, start: number): [number, number][] {
  const ranges: [number, number][] = [];
  for (let at = afterSpace(json, start + 1); json[at] !== CLOSING_BRACKET; ) {
    const end = valueEnd(json, at);
    ranges.push([at, end]);
    at = afterSpace(json, end);
    if (json[at] === COMMA) at = afterSpace(json, at + 1);
  }
  return ranges;
}

function afterSpace(json: Buffer, at: number): number {
  while ((json[at] as number) <= 0x20) at++;
  return at;
}

/** Where the value that begins here ends. */
function valueEnd(json: Buffer, at: number): number {
  let depth = 0;
  do {
    switch (json[at]) {
      case QUOTE:
        at = stringEnd(json, at);
        continue;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        depth++;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth--;
        break;
      case COMMA:
      case COLON:
        break;
      default:
        // A number, a constant, or space inside an array or object.
        if (depth === 0) return scalarEnd(json, at);
    }
    at++;
  } while (depth > 0);
  return at;
}

function scalarEnd(json: Buffer, at: number): number {
  while (at < json.length && /[\w.+-]/.test(String.fromCharCode(json[at] as number))) at++;
  return at;
}

/** Where the string that begins here ends. */
function stringEnd(json: Buffer, at: number): number {
  for (at++; json[at] !== QUOTE; at++) if (json[at] === BACKSLASH) at++;
  return at + 1;
}

/** JSON without line breaks. They can only be between tokens. */
function inOneLine(json: Buffer): Buffer {
  if (!json.includes(0x0a) && !json.includes(0x0d)) return json;
  return Buffer.from(json.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}

/**
 * The findings with an integer that a double would round, by row. In them, texts begin with `s`, and such an integer is
 * a text that begins with `i`.
 */
function findingsWithLargeIntegers(lines: Buffer): ReadonlyMap<number, object> {
  const findings = new Map<number, object>();
  let row = 0;
  for (let start = 0; start < lines.length; row++) {
    const end = lines.indexOf(0x0a, start);
    const json = lines.toString("utf8", start, end);
    const marked = markedJson(json);
    if (marked !== undefined) findings.set(row, JSON.parse(marked));
    start = end + 1;
  }
  return findings;
}

/** What follows a key. */
const KEY_END = /\s*:/y;

/** JSON in which texts and such integers are marked; undefined if there is no such integer. */
function markedJson(json: string): string | undefined {
  if (!/\d{16}/.test(json)) return undefined;
  let isFound = false;
  const mark = (number: string) => {
    if (!isRounded(number)) return number;
    isFound = true;
    return `"i${number}"`;
  };
  let marked = "";
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at);
    const tokens = json.slice(at, quote === -1 ? undefined : quote);
    marked += tokens.replace(/-?\d[\d.eE+-]*/g, mark);
    if (quote === -1) break;
    at = quote + 1;
    while (json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
    at++;
    KEY_END.lastIndex = at;
    marked += KEY_END.test(json) ? json.slice(quote, at) : `"s${json.slice(quote + 1, at)}`;
  }
  return isFound ? marked : undefined;
}

/** Whether a JSON number is an integer beyond those that a double can tell apart. */
function isRounded(number: string): boolean {
  return /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number));
}

/** A value without the marks. */
function unmarked(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith("i") ? BigInt(value.slice(1)) : value.slice(1);
  if (Array.isArray(value)) return value.map(unmarked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unmarked(member)]));
}

function hasLargeInteger(value: unknown): boolean {
  if (typeof value === "string") return value.startsWith("i");
  return typeof value === "object" && value !== null && Object.values(value).some(hasLargeInteger);
}

/** Adds the names of the columns with such an integer. */
function addColumns(names: Set<string>, keys: readonly string[], value: unknown): void {
  if (!hasLargeInteger(value)) return;
  if (keys.length > 0) names.add(nameOf(keys));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const [key, member] of Object.entries(value)) addColumns(names, [...keys, key], member);
}
