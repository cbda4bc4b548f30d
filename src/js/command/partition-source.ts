// The findings of a partition as the service wrote them: where each begins and ends, and the integers that a double would round.

import { Buffer } from "node:buffer";
import { keysOf, memberAt } from "../table/column-path.js";

/** The findings of a partition, whose body a client has checked. */
export class PartitionSource {
  /** Each finding in UTF-8, on one line, without its end. */
  readonly lines: readonly Buffer[];
  #exact: ReadonlyMap<number, object> | undefined;

  constructor(lines: readonly Buffer[]) {
    this.lines = lines;
  }

  static of(body: Buffer): PartitionSource {
    // A byte order mark is skipped. The last of several members with this name counts, as for `JSON.parse`.
    const start = afterSpace(body, body.subarray(0, 3).equals(Buffer.from("\ufeff")) ? 3 : 0);
    const lists = [...partsOf(body, start)].filter(
      ({ start, value }) => body[value] === OPENING_BRACKET && keyAt(body, start) === "Findings",
    );
    const items = lists.slice(-1).flatMap(({ value }) => [...partsOf(body, value)]);
    return new PartitionSource(items.map(({ value, end }) => inOneLine(body.subarray(value, end))));
  }

  /** @param text the lines, each with a line feed at its end */
  static ofLines(text: Buffer): PartitionSource {
    const lines: Buffer[] = [];
    for (let start = 0; start < text.length; start += (lines.at(-1)?.length ?? 0) + 1) {
      lines.push(text.subarray(start, text.indexOf(0x0a, start)));
    }
    return new PartitionSource(lines);
  }

  /** The lines, each with a line feed at its end. */
  get text(): Buffer {
    return Buffer.concat(this.lines.flatMap((line) => [line, LINE_FEED]));
  }

  /** The findings as the body of a partition. */
  get body(): string {
    return `{"Findings":[${this.lines.join()}]}`;
  }

  /** Whether a column has an integer that a double would round, or an array or object that contains one. */
  isRounded(column: string): boolean {
    const keys = keysOf(column);
    return [...this.exact.values()].some((finding) => hasBigInt(memberAt(finding, keys)));
  }

  /** Replaces the values of a column that are or contain such integers. */
  replaceIn(values: unknown[], column: string): void {
    const keys = keysOf(column);
    for (const [row, finding] of this.exact) values[row] = memberAt(finding, keys);
  }

  /** Adds members to findings that have some: `membersOf` returns those of a row as JSON, such as `"a":1,"b":2`; an empty text for none. */
  withMembers(membersOf: (row: number) => string): PartitionSource {
    const lines = this.lines.map((line, row) => {
      const members = membersOf(row);
      return members === "" ? line : Buffer.concat([line.subarray(0, -1), Buffer.from(`,${members}}`)]);
    });
    return new PartitionSource(lines);
  }

  /** Keeps the findings with these numbers. */
  rows(numbers: Iterable<number>): PartitionSource {
    return new PartitionSource(Array.from(numbers, (number) => this.lines[number] as Buffer));
  }

  /** Keeps the columns with these names. The name of an object stands for all fields below it. */
  select(names: readonly string[]): PartitionSource {
    const paths = names.map(keysOf);
    return new PartitionSource(this.lines.map((line) => Buffer.concat(keptParts(line, 0, paths))));
  }

  /** The findings with integers that a double would round, which are `bigint` there, by row. */
  get exact(): ReadonlyMap<number, object> {
    this.#exact ??= new Map(
      this.lines.flatMap((line, row): [number, object][] => {
        if (!/\d{16}/.test(line.toString("latin1"))) return [];
        const finding = exactValue(line, 0, line.length) as object;
        return hasBigInt(finding) ? [[row, finding]] : [];
      }),
    );
    return this.#exact;
  }
}

const LINE_FEED = Buffer.from("\n");
const WORD = /[\w.+-]/;
const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Where a member of an object, or an item of a list, begins, where its value does, and where it ends. */
type Part = { readonly start: number; readonly value: number; readonly end: number };

/** The parts of the object or list that begins here. */
function* partsOf(json: Buffer, at: number): Generator<Part, void> {
  const isObject = json[at] === OPENING_BRACE;
  for (at = afterSpace(json, at + 1); json[at] !== CLOSING_BRACE && json[at] !== CLOSING_BRACKET; ) {
    const value = isObject ? afterSpace(json, afterSpace(json, stringEnd(json, at)) + 1) : at;
    const end = valueEnd(json, value);
    yield { start: at, value, end };
    at = afterSpace(json, end);
    if (json[at] === COMMA) at = afterSpace(json, at + 1);
  }
}

function keyAt(json: Buffer, at: number): string {
  return JSON.parse(json.toString("utf8", at, stringEnd(json, at)));
}

/** The object that begins here, with the members at these paths. A value in place of an object has no members. */
function keptParts(json: Buffer, at: number, paths: readonly (readonly string[])[]): Buffer[] {
  const members = [...partsOf(json, at)].flatMap(({ start, value, end }) => {
    const key = keyAt(json, start);
    const below = paths.filter(([first]) => first === key).map((path) => path.slice(1));
    if (below.some((path) => path.length === 0)) return [Buffer.from(","), json.subarray(start, end)];
    if (below.length === 0 || json[value] !== OPENING_BRACE) return [];
    return [Buffer.from(","), json.subarray(start, value), ...keptParts(json, value, below)];
  });
  return [Buffer.from("{"), ...members.slice(1), Buffer.from("}")];
}

/** The value in this range, with integers that a double would round as `bigint`. */
function exactValue(json: Buffer, start: number, end: number): unknown {
  const parts = () => [...partsOf(json, start)];
  if (json[start] === OPENING_BRACKET) return parts().map(({ value, end }) => exactValue(json, value, end));
  if (json[start] === OPENING_BRACE) {
    return Object.fromEntries(parts().map((part) => [keyAt(json, part.start), exactValue(json, part.value, part.end)]));
  }
  const text = json.toString("utf8", start, end);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? BigInt(text) : JSON.parse(text);
}

function hasBigInt(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasBigInt);
  return typeof value === "bigint";
}

function afterSpace(json: Buffer, at: number): number {
  while ((json[at] as number) <= 0x20) at++;
  return at;
}

/** Where the value that begins here ends. */
function valueEnd(json: Buffer, at: number): number {
  let depth = 0;
  do {
    const byte = json[at] as number;
    const isOpening = byte === OPENING_BRACKET || byte === OPENING_BRACE;
    if (isOpening) depth++;
    else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--;
    at = byte === QUOTE ? stringEnd(json, at) : at + 1;
    // A number or a word ends where no more of it follows.
    if (depth === 0 && WORD.test(String.fromCharCode(byte))) while (WORD.test(String.fromCharCode(json[at] ?? 0))) at++;
  } while (depth > 0);
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
