// Plain objects from columns: the module writes rows into a buffer, which is read here from front to back.

import type { Columns } from "./inspection_findings.js";

/** Rows built between two looks at the clock; fewer where they hold much JSON text. */
const ROWS_BETWEEN_LOOKS = 16;

/** So much JSON text takes about as long as a row. */
const TEXT_OF_A_ROW = 256;

/** A plain object as it came from the service. */
export type Finding = Record<string, unknown>;

/** The shape of a finding that is kept as its JSON text. */
const UNSHAPED = 0xffff_ffff | 0;

const NULL = 0x1a;
const FALSE = 0x2a;
const TRUE = 0x3a;

/** The cell of an object whose fields have columns of their own. */
export const OBJECT = 0x4a;

const NUMBER = 0x2;
const RAW_JSON = 0x6;

/** The keys of an object in order, and the layouts of those values that are objects with columns of their own. */
interface Layout {
  readonly keys: string[];
  readonly inner: (Layout | undefined)[];
  /** Whether it is a finding and not an object inside of one. */
  isFinding: boolean;
  /** Whether a key is `__proto__`, which a plain store would take for the prototype. */
  hasProto: boolean;
  /** An object with these keys. Copies of it have just the room that they need, which `{}` has not. */
  template: Finding;
  /** The last object with this layout, the batch that it was built in, and where in the row buffer its cells begin. */
  last: Finding;
  batch: number;
  lastAt: number;
}

/** The strings of a retrieval, each decoded once. */
class Strings {
  readonly #columns: Columns;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #inBlocks: boolean;
  readonly known: (string | undefined)[] = [];

  /** @param inBlocks whether many strings are going to be asked for */
  constructor(columns: Columns, inBlocks: boolean) {
    this.#columns = columns;
    this.#inBlocks = inBlocks;
  }

  /** Decodes a string, and with it all that are behind it in its block, which is several times as fast for many. */
  load(id: number): string {
    const { known } = this;
    const text = this.#decoder.decode(this.#columns.bytes(id, this.#inBlocks));
    if (this.#inBlocks) this.#cut(text, this.#columns.strings(id));
    else known[id] = text;
    known[id] ??= "";
    return known[id];
  }

  /** Cuts a text into strings, by their numbers and lengths. */
  #cut(text: string, strings: Uint32Array): void {
    const { known } = this;
    let start = 0;
    for (let next = 0; next < strings.length; next += 2) {
      const id = strings[next] as number;
      const end = start + (strings[next + 1] as number);
      while (known.length < id) known.push(undefined);
      known[id] ??= text.slice(start, end);
      start = end;
    }
  }
}

/** Builds findings of one retrieval. Their strings are shared, as long as the same builder is used. */
export class Rows {
  readonly #columns: Columns;
  readonly #strings: Strings;
  readonly #layouts = new Map<number, Layout>();
  #rowBuffer: Int32Array = new Int32Array();
  #at = 0;
  #batch = 0;
  /** What was done since the last look at the clock, in rows. */
  #work = 0;

  /** @param few whether only a few rows are going to be built, which should not keep whole blocks of text alive */
  constructor(columns: Columns, few = false) {
    this.#columns = columns;
    this.#strings = new Strings(columns, !few);
  }

  /**
   * Appends the findings from `from` up to before `to`, or as far as it comes in the time that it may take.
   *
   * @returns the number of findings appended
   */
  append(from: number, to: number, findings: Finding[], milliseconds = Number.POSITIVE_INFINITY): number {
    this.#rowBuffer = new Int32Array(this.#columns.rows(from, to).buffer);
    this.#at = 0;
    // Who got the objects of earlier batches may have changed them.
    this.#batch++;
    const ends = performance.now() + milliseconds;
    let count = 0;
    while (this.#at < this.#rowBuffer.length) {
      findings.push(this.#finding());
      count++;
      if (++this.#work < ROWS_BETWEEN_LOOKS) continue;
      this.#work = 0;
      if (performance.now() > ends) break;
    }
    this.#rowBuffer = new Int32Array();
    return count;
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

  #parse(json: string): unknown {
    this.#work += json.length / TEXT_OF_A_ROW;
    return JSON.parse(json);
  }

  /** Gives the columns back to the module's memory. */
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
    // Neighbours are much alike: the object begins as a copy of the one before, and only what differs is stored.
    const isFirst = layout.batch !== this.#batch;
    const before = isFirst ? layout.template : layout.last;
    // Two places, because an engine copies fast as long as a place sees few kinds of objects.
    const object: Finding = layout.isFinding ? { ...before } : { ...before };
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
      else if ((cell & 2) === 0) object[key] = known[cell >>> 2] ?? this.#strings.load(cell >>> 2);
      else object[key] = this.value(cell);
    }
    return object;
  }

  /** The same for an object with a key that cannot simply be stored. */
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
    return this.#strings.known[id] ?? this.#strings.load(id);
  }

  #layout(shape: number): Layout {
    const layout = newLayout(true);
    const open = [layout];
    for (const event of this.#columns.shapeEvents(shape)) {
      const kind = event & 3;
      if (kind === 2) {
        makeTemplate(open.pop() as Layout);
        continue;
      }
      const below = kind === 1 ? newLayout(false) : undefined;
      addKey(open.at(-1) as Layout, this.#columns.pathName(event >>> 2), below);
      if (below) open.push(below);
    }
    this.#layouts.set(shape, layout);
    return layout;
  }
}

function newLayout(isFinding: boolean): Layout {
  return { isFinding, keys: [], inner: [], hasProto: false, template: {}, last: {}, batch: 0, lastAt: 0 };
}

function addKey(layout: Layout, key: string, below: Layout | undefined): void {
  layout.keys.push(key);
  layout.inner.push(below);
  layout.hasProto ||= key === "__proto__";
}

function makeTemplate(layout: Layout): void {
  // An engine first takes a field to hold one kind of value only. It learns here, once, that these hold any.
  for (const value of ["0", "0.5", '""', "{}", "null"]) {
    const members = layout.keys.map((key) => `${JSON.stringify(key)}:${value}`);
    layout.template = JSON.parse(`{${members}}`);
  }
  layout.last = layout.template;
}
