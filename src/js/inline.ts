// The package with its module inside, for tools that lose a separate file and for pages of one file.

import { inflate } from "./inflate.js";
import { MODULE, SIZE } from "./inline_module.js";
import { loadOnDemandFrom } from "./module.js";

export * from "./exports.js";

loadOnDemandFrom(decompressed, "inside");

async function decompressed(): Promise<BufferSource> {
  const compressed = Uint8Array.from(atob(MODULE), (character) => character.charCodeAt(0));
  if (typeof DecompressionStream === "undefined" || typeof Response === "undefined") return inflate(compressed, SIZE);
  const body = new Response(compressed).body as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(body.pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer();
}
