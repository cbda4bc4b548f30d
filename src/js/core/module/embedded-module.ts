// The `.wasm` file that the build has inlined as text.

import { MODULE } from "./inline-module.js";

/** Decodes the `.wasm` file: the text has a table of all bytes, and the place of each byte of the file in it. */
export function decoded(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(MODULE.length);
  let length = 0;
  let added = 0;
  for (let at = 0; at < MODULE.length; at++) {
    const value = MODULE.charCodeAt(at) - 35;
    if (value < 80) {
      bytes[length++] = value + added;
      added = 0;
    } else {
      added = 80 * (value - 79);
    }
  }
  const table = bytes.slice(0, 256);
  for (let at = 256; at < length; at++) bytes[at] = table[bytes[at] as number] as number;
  return bytes.subarray(256, length);
}
