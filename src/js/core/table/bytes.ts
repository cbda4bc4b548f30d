// Tables as bytes.

import { wrongType } from "../argument/refusal.js";
import { load } from "../module/module.js";
import { originText } from "./origin.js";
import type { TableData } from "./table-data.js";

/** Writes a table. */
export function bytesOf(table: TableData): Uint8Array<ArrayBuffer> {
  const about = originText(table.origin, Date.now());
  return table.columns.toBytes(about) as Uint8Array<ArrayBuffer>;
}

/** Opens a table that {@link bytesOf} has written. */
export async function opened(bytes: unknown) {
  const view = viewOf(bytes);
  const instance = await load();
  return instance.guarded(() => instance.Client.openTable(view), {});
}

function viewOf(value: unknown): Uint8Array {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (/^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value)))
    return new Uint8Array(value as ArrayBuffer);
  throw wrongType("bytes", "a typed array or an ArrayBuffer", value);
}
