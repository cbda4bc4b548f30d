// The `.wasm` file that the build has compressed and inlined.

import { inflate } from "./inflate.js";
import { MODULE, SIZE } from "./inline_module.js";

/** The bytes that zlib puts before the compressed data. */
const HEADER = 2;

/** Decompresses the `.wasm` file. */
export async function decompressed(): Promise<BufferSource> {
  const compressed = bytesOf(atob(MODULE));
  if (typeof DecompressionStream === "undefined" || typeof Response === "undefined") {
    return inflate(compressed.subarray(HEADER), SIZE);
  }
  const body = new Response(compressed).body as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(body.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

/** Decodes Base64 in a loop, which takes a tenth of the time of `Uint8Array.from`. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
