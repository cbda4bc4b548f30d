// Cells: the words by which Rust describes values.

/** What cells refer to. An id that is unknown is an error. */
export interface CellSource {
  text(id: number): string;
  number(id: number): number;
}

const NUMBER = 0x2;
export const RAW_JSON = 0x6;

const MISSING = 0x0a;
const NULL = 0x1a;
const FALSE = 0x2a;
const TRUE = 0x3a;

/** The cell of an object whose fields have separate columns. */
export const OBJECT = 0x4a;

/** Returns the value of a cell; undefined for a missing field. */
export function cellValue(cell: number, source: CellSource): unknown {
  if (cell & 1) return cell >> 1;
  if ((cell & 2) === 0) return source.text(cell >>> 2);
  switch (cell & 15) {
    case NUMBER:
      return source.number(cell >>> 4);
    case RAW_JSON:
      return JSON.parse(source.text(cell >>> 4));
  }
  switch (cell) {
    case MISSING:
      return undefined;
    case NULL:
      return null;
    case FALSE:
      return false;
    case TRUE:
      return true;
    case OBJECT:
      return {};
  }
  throw new RangeError(`internal error: there is no cell ${cell}`);
}
