/** The binary of the module with changes: a small memory, or a function that traps. */

/** Bytes that a memory grows by. */
export const page = 65_536;

const section = { memory: 5, export: 7, code: 10 };

/**
 * Limits the memory of the module: it can grow by at most `spare` bytes.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {number} spare
 */
export function limited(bytes, spare) {
  const { start, content, end } = find(bytes, section.memory);
  const minimum = readNumber(bytes, content + 2).value;
  const limits = [1, 1, ...written(minimum), ...written(minimum + Math.ceil(spare / page))];
  const memory = [section.memory, ...written(limits.length), ...limits];
  return new Uint8Array([...bytes.subarray(0, start), ...memory, ...bytes.subarray(end)]);
}

/**
 * Makes an exported function of the module trap.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {string} name
 */
export function trapping(bytes, name) {
  const module = new WebAssembly.Module(bytes);
  const imported = WebAssembly.Module.imports(module).filter(({ kind }) => kind === "function").length;
  const body = bodyOf(bytes, indexOf(bytes, name) - imported);
  const changed = bytes.slice();
  // No locals, `unreachable`, and `nop` up to the `end`, so that the length stays the same.
  changed.fill(0x01, body.start, body.end);
  changed.set([0x00, 0x00], body.start);
  changed[body.end - 1] = 0x0b;
  return changed;
}

/**
 * The index of an exported function.
 * @param {Uint8Array} bytes
 * @param {string} name
 */
function indexOf(bytes, name) {
  const { content, end } = find(bytes, section.export);
  for (let at = readNumber(bytes, content).end; at < end; ) {
    const length = readNumber(bytes, at);
    const kind = length.end + length.value;
    const index = readNumber(bytes, kind + 1);
    if (bytes[kind] === 0 && new TextDecoder().decode(bytes.subarray(length.end, kind)) === name) {
      return index.value;
    }
    at = index.end;
  }
  throw new Error(`the module exports no function ${name}`);
}

/**
 * The position of the body of a function.
 * @param {Uint8Array} bytes
 * @param {number} number
 */
function bodyOf(bytes, number) {
  let at = readNumber(bytes, find(bytes, section.code).content).end;
  for (let before = 0; before < number; before++) {
    const size = readNumber(bytes, at);
    at = size.end + size.value;
  }
  const size = readNumber(bytes, at);
  return { start: size.end, end: size.end + size.value };
}

/**
 * The position of a section of the module.
 * @param {Uint8Array} bytes
 * @param {number} id
 */
function find(bytes, id) {
  for (let start = 8; start < bytes.length; ) {
    const size = readNumber(bytes, start + 1);
    const end = size.end + size.value;
    if (bytes[start] === id) {
      return { start, content: size.end, end };
    }
    start = end;
  }
  throw new Error(`the module has no section ${id}`);
}

/**
 * Decodes a LEB128 number, and returns it with the position of its end.
 * @param {Uint8Array} bytes
 * @param {number} at
 */
function readNumber(bytes, at) {
  let [value, shift, end] = [0, 0, at];
  for (;;) {
    const byte = bytes[end++];
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      return { value, end };
    }
    shift += 7;
  }
}

/**
 * @param {number} value
 * @returns {number[]}
 */
function written(value) {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...written(value >>> 7)];
}
