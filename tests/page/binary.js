/** The binary of the module with a small memory. */

/** Bytes that a memory grows by. */
export const page = 65_536;

/** The id of the section with the memory. */
const memorySection = 5;

/**
 * Limits the memory of the module: it can grow by at most `spare` bytes.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {number} spare
 */
export function limited(bytes, spare) {
  const { start, content, end } = findMemory(bytes);
  const minimum = readNumber(bytes, content + 2).value;
  const limits = [1, 1, ...written(minimum), ...written(minimum + Math.ceil(spare / page))];
  const memory = [memorySection, ...written(limits.length), ...limits];
  return new Uint8Array([...bytes.subarray(0, start), ...memory, ...bytes.subarray(end)]);
}

/** The position of the section with the memory. @param {Uint8Array} bytes */
function findMemory(bytes) {
  for (let start = 8; start < bytes.length; ) {
    const size = readNumber(bytes, start + 1);
    const end = size.end + size.value;
    if (bytes[start] === memorySection) {
      return { start, content: size.end, end };
    }
    start = end;
  }
  throw new Error("the module has no memory");
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
