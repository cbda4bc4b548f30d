// The names of the columns to keep: the option `columns`, and the arguments of `select`.

import { refusal, wrongType } from "../argument/refusal.js";

/** The maximum number of keys in all names together. The findings of a call have room for 4 095 paths. */
const MAX_KEYS = 4_000;

/** The maximum number of bytes, in which a name counts once for each of its keys. A call has room for about as many. */
const MAX_BYTES = 1_000_000;

/** Writes the names of columns as Rust reads them: sorted, in UTF-8, each followed by a byte that never occurs in UTF-8. */
export function columnList(value: unknown, name: string): Uint8Array {
  if (!Array.isArray(value)) throw wrongType(name, "a list of names of columns", value);
  // A key with a lone surrogate has no column, and UTF-8 cannot write it.
  const wrong = value.findIndex((column) => typeof column !== "string" || /\p{Surrogate}/u.test(column));
  if (wrong >= 0) throw wrongType(`${name}[${wrong}]`, "the name of a column", value[wrong]);
  if (value.join(".").split(".").length > MAX_KEYS) throw refusal(`${name} must have at most ${MAX_KEYS} keys`);
  const encoder = new TextEncoder();
  const names = [...new Set<string>(value)].sort();
  const encoded = names.map((column) => encoder.encode(column));
  const size = names.reduce((sum, column, index) => sum + column.split(".").length * (encoded[index]?.length ?? 0), 0);
  if (size > MAX_BYTES)
    throw refusal(`${name} is too long: its names have ${size} bytes, but at most ${MAX_BYTES} fit`);
  return Uint8Array.from(encoded.flatMap((bytes) => [...bytes, 0xff]));
}
