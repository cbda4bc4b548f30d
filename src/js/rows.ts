// Plain objects from columns: the module writes rows into a buffer, and this file builds an object from each.

import type { Columns } from "./inspection_findings.js";

/** Rows built between two readings of the clock; fewer if they contain much raw JSON. */
const ROWS_PER_CLOCK_READING = 16;

/** Characters of raw JSON that take about as long as a row. */
const JSON_PER_ROW = 256;

/** The most strings that the module copies at once. */
const IDS_PER_CALL = 256;

/** From this number on, strings are decoded together. */
const MANY_STRINGS = 32;

/** A finding as a plain object, with all fields of the service. */
export type Finding = Record<string, unknown>;

/** The shape of an unshaped row: a finding that stays raw JSON. */
const UNSHAPED = 0xffff_ffff | 0;

const NULL = 0x1a;
const FALSE = 0x2a;
const TRUE = 0x3a;

/** The cell of an object whose fields have columns of their own. */
export const OBJECT = 0x4a;

const NUMBER = 0x2;
const RAW_JSON = 0x6;

/** The keys of an object in order, and the layouts of its inner objects that have columns of their own. */
interface Layout {
  readonly keys: string[];
  readonly inner: (Layout | undefined)[];
  /** Copies an object with these keys. */
  copy: Copier;
  /** Whether a key is `__proto__`. Its plain assignment would set the prototype. */
  hasProto: boolean;
  /** An object with these keys. Copies of it have exactly the memory that they need, unlike `{}`. */
  template: Finding;
  /** The last object built with this layout, its batch, and the position of its first cell in the row buffer. */
  last: Finding;
  batch: number;
  lastAt: number;
}

/** The bytes of strings on their way out of the module: a block of usual length. */
const scratch = new Uint8Array(1 << 16);

/** Copies an object. */
type Copier = (object: Finding) => Finding;

/** The layouts take these in turn: an engine copies fast in an expression that has seen few hidden classes. */
const copiers: [Copier, ...Copier[]] = [
  (object) => ({ ...object }),
  (object) => ({ ...object }),
  (object) => ({ ...object }),
  (object) => ({ ...object }),
  (object) => ({ ...object }),
  (object) => ({ ...object }),
  (object) => ({ ...object }),
  (object) => ({ ...object }),
];

/** The strings of a dictionary, each decoded once. */
export class Strings {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #areMany: boolean;
  readonly known: (string | undefined)[] = [];

  /** @param areMany whether many strings are expected: an array with gaps would then be slow */
  constructor(areMany: boolean) {
    this.#areMany = areMany;
  }

  /** Decodes one string. */
  load(columns: Columns, id: number): string {
    const text = this.#decode(columns, id, false);
    if (this.#areMany) this.#store(id, text);
    else this.known[id] = text;
    return text;
  }

  /** Decodes a string and all strings after it in its block, which is several times as fast per string. */
  loadBlock(columns: Columns, id: number): string {
    const text = this.#decode(columns, id, true);
    const strings = columns.strings(id);
    let start = 0;
    for (let next = 0; next < strings.length; next += 2) {
      const end = start + (strings[next + 1] as number);
      this.#store(strings[next] as number, text, start, end);
      start = end;
    }
    // An empty string at the end of a block is not among them.
    this.#store(id, "");
    return this.known[id] as string;
  }

  /** Decodes these strings together, which is several times as fast per string as one by one. */
  loadAll(columns: Columns, ids: Uint32Array): void {
    for (let from = 0; from < ids.length; from += IDS_PER_CALL) {
      const some = ids.subarray(from, from + IDS_PER_CALL);
      const { bytes, lengths } = columns.texts(some);
      const text = this.#decoder.decode(bytes);
      let start = 0;
      for (let index = 0; index < lengths.length; index++) {
        const end = start + (lengths[index] as number);
        this.#store(some[index] as number, text, start, end);
        start = end;
      }
    }
  }

  /** Decodes a string, or it and all strings after it in its block. */
  #decode(columns: Columns, id: number, withRest: boolean): string {
    const length = columns.bytes(id, withRest, scratch);
    if (length <= scratch.length) return this.#decoder.decode(scratch.subarray(0, length));
    const bytes = new Uint8Array(length);
    columns.bytes(id, withRest, bytes);
    return this.#decoder.decode(bytes);
  }

  /** Stores a string, or a part of a text, unless the string is known. */
  #store(id: number, text: string, start?: number, end?: number): void {
    const { known } = this;
    while (known.length < id) known.push(undefined);
    known[id] ??= text.slice(start, end);
  }
}

/** Builds the rows of a table. All rows of one builder share their strings. */
export class Rows {
  readonly #columns: Columns;
  readonly #strings: Strings;
  readonly #inBlocks: boolean;
  readonly #layouts = new Map<number, Layout>();
  #layoutCount = 0;
  /** The rows of a batch. It has room for the largest batch so far. */
  #rowBuffer: Int32Array = new Int32Array();
  #at = 0;
  #batch = 0;
  /** The work since the last reading of the clock, in rows. */
  #work = 0;

  /**
   * @param few whether only a few rows are needed, which should not keep whole blocks of text alive
   * @param strings those that other builders of the same dictionary have decoded
   */
  constructor(columns: Columns, few = false, strings = new Strings(!few)) {
    this.#columns = columns;
    this.#strings = strings;
    this.#inBlocks = !few;
  }

  /**
   * Appends the findings from `from` to before `to`, or fewer if `milliseconds` have passed.
   *
   * @returns the number of appended findings
   */
  append(from: number, to: number, findings: Finding[], milliseconds = Number.POSITIVE_INFINITY): number {
    const length = this.#layOut(from, to);
    this.#at = 0;
    // Objects of earlier batches may have been changed by the caller, so they are not copied.
    this.#batch++;
    const ends = performance.now() + milliseconds;
    let count = 0;
    while (this.#at < length) {
      findings.push(this.#finding());
      count++;
      if (++this.#work < ROWS_PER_CLOCK_READING) continue;
      this.#work = 0;
      if (performance.now() > ends) break;
    }
    return count;
  }

  /** Decodes the strings of these cells if there are many. */
  prepare(cells: Uint32Array): void {
    if (cells.length < MANY_STRINGS) return;
    const { known } = this.#strings;
    const unknown = new Uint32Array(cells.length);
    let count = 0;
    for (let index = 0; index < cells.length; index++) {
      const id = stringOf(cells[index] as number);
      if (id !== undefined && known[id] === undefined) unknown[count++] = id;
    }
    if (count < MANY_STRINGS) return;
    const sorted = unknown.subarray(0, count).sort();
    count = 0;
    for (let index = 0; index < sorted.length; index++) {
      if (index === 0 || sorted[index] !== sorted[index - 1]) sorted[count++] = sorted[index] as number;
    }
    this.#strings.loadAll(this.#columns, sorted.subarray(0, count));
  }

  /** The value of a cell; undefined for a missing field. */
  value(cell: number): unknown {
    if (cell & 1) return cell >> 1;
    if ((cell & 2) === 0) return this.#string(cell >>> 2);
    switch (cell & 15) {
      case NUMBER:
        return this.#columns.number(cell >>> 4);
      case RAW_JSON:
        return this.#parse(this.#string(cell >>> 4));
    }
    switch (cell) {
      case NULL:
        return null;
      case FALSE:
        return false;
      case TRUE:
        return true;
      case OBJECT:
        return {};
    }
    return undefined;
  }

  /** Copies rows into the buffer, and returns the number of their words. */
  #layOut(from: number, to: number): number {
    const length = this.#columns.layOutRows(from, to);
    if (length > this.#rowBuffer.length) this.#rowBuffer = new Int32Array(length);
    this.#columns.copyRows(new Uint32Array(this.#rowBuffer.buffer));
    return length;
  }

  #parse(json: string): unknown {
    this.#work += json.length / JSON_PER_ROW;
    return JSON.parse(json);
  }

  /** Frees the columns. */
  free(): void {
    this.#columns.free();
  }

  #finding(): Finding {
    const shape = this.#rowBuffer[this.#at++] as number;
    if (shape === UNSHAPED) return this.value(this.#rowBuffer[this.#at++] as number) as Finding;
    return this.#object(this.#layouts.get(shape) ?? this.#layout(shape));
  }

  #object(layout: Layout): Finding {
    if (layout.hasProto) return this.#fill(layout);
    const { keys, inner } = layout;
    const known = this.#strings.known;
    const rowBuffer = this.#rowBuffer;
    // Consecutive findings are similar: copy the one before, then store only the values that differ.
    const isFirst = layout.batch !== this.#batch;
    const before = isFirst ? layout.template : layout.last;
    const object = layout.copy(before);
    const distance = isFirst ? 0 : this.#at - layout.lastAt;
    layout.batch = this.#batch;
    layout.last = object;
    layout.lastAt = this.#at;
    for (let index = 0; index < keys.length; index++) {
      const below = inner[index];
      if (below !== undefined) {
        object[keys[index] as string] = this.#object(below);
        continue;
      }
      const at = this.#at++;
      const cell = rowBuffer[at] as number;
      if (distance !== 0 && cell === rowBuffer[at - distance] && (cell & 15) !== RAW_JSON) continue;
      const key = keys[index] as string;
      if (cell & 1) object[key] = cell >> 1;
      else if ((cell & 2) === 0) object[key] = known[cell >>> 2] ?? this.#load(cell >>> 2);
      else object[key] = this.value(cell);
    }
    return object;
  }

  /** Builds an object with a key `__proto__`, which only `defineProperty` stores as a property. */
  #fill(layout: Layout): Finding {
    const object: Finding = {};
    layout.keys.forEach((key, index) => {
      const below = layout.inner[index];
      const value = below ? this.#object(below) : this.value(this.#rowBuffer[this.#at++] as number);
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    });
    return object;
  }

  #string(id: number): string {
    return this.#strings.known[id] ?? this.#load(id);
  }

  #load(id: number): string {
    return this.#inBlocks ? this.#strings.loadBlock(this.#columns, id) : this.#strings.load(this.#columns, id);
  }

  #newLayout(): Layout {
    const copy = copiers[this.#layoutCount++ % copiers.length] as Copier;
    return { copy, keys: [], inner: [], hasProto: false, template: {}, last: {}, batch: 0, lastAt: 0 };
  }

  #layout(shape: number): Layout {
    const layout = this.#newLayout();
    const open = [layout];
    for (const event of this.#columns.shapeEvents(shape)) {
      const kind = event & 3;
      if (kind === 2) {
        makeTemplate(open.pop() as Layout);
        continue;
      }
      const below = kind === 1 ? this.#newLayout() : undefined;
      addKey(open.at(-1) as Layout, this.#columns.pathName(event >>> 2), below);
      if (below) open.push(below);
    }
    this.#layouts.set(shape, layout);
    return layout;
  }
}

/** The id of the string of a text or of raw JSON. */
function stringOf(cell: number): number | undefined {
  if ((cell & 3) === 0) return cell >>> 2;
  return (cell & 15) === RAW_JSON ? cell >>> 4 : undefined;
}

function addKey(layout: Layout, key: string, below: Layout | undefined): void {
  layout.keys.push(key);
  layout.inner.push(below);
  layout.hasProto ||= key === "__proto__";
}

function makeTemplate(layout: Layout): void {
  // Engines specialise a field for the kind of its first value. Here they learn at once that these fields hold any kind.
  for (const value of ["0", "0.5", '""', "{}", "null"]) {
    const members = layout.keys.map((key) => `${JSON.stringify(key)}:${value}`);
    layout.template = JSON.parse(`{${members}}`);
  }
  layout.last = layout.template;
}
