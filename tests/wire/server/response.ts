/** A response as bytes, in the manner that a test requests. */

import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Manner } from "./manner.ts";

export interface Bytes {
  readonly head: Buffer;
  readonly body: Buffer;
}

// The best quality of brotli takes seconds.
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const encoders = { gzip: gzipSync, br: (bytes: Buffer) => brotliCompressSync(bytes, fast) };

export async function responseBytes(truth: Response, manner: Manner): Promise<Bytes> {
  const content = await contentBytes(truth, manner);
  const headers = { ...Object.fromEntries(truth.headers), ...framingHeaders(content, manner), ...manner.headers };
  const written = Object.entries(headers).filter(([, value]) => value !== null);
  const lines = [
    `HTTP/1.1 ${manner.status ?? truth.status} Said`,
    ...written.map(([name, value]) => `${name}: ${value}`),
  ];
  const head = manner.head ?? `${lines.join("\r\n")}\r\n\r\n`;
  return { head: Buffer.from(head), body: overwritten(framed(content, manner), manner) };
}

/** Encodes the body, before it is framed. */
async function contentBytes(truth: Response, { body, charset, padding = 0, encoding, shorten = 0 }: Manner) {
  const plain = body === undefined ? Buffer.from(await truth.arrayBuffer()) : Buffer.from(body, charset);
  const padded = Buffer.concat([plain, Buffer.alloc(padding, " ")]);
  const encoded = encoding === undefined ? padded : encoders[encoding](padded);
  return encoded.subarray(0, encoded.length - shorten);
}

function framingHeaders(content: Buffer, { encoding, framing, lie = 0 }: Manner): Record<string, string> {
  return {
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    ...(framing === "chunked" ? { "transfer-encoding": "chunked" } : {}),
    ...(framing === "close" ? { connection: "close" } : {}),
    ...(framing === undefined ? { "content-length": String(content.length + lie) } : {}),
  };
}

function framed(content: Buffer, { framing, chunk = 4096 }: Manner): Buffer {
  if (framing !== "chunked") return content;
  const pieces = [];
  for (let from = 0; from < content.length; from += chunk) {
    const piece = content.subarray(from, from + chunk);
    pieces.push(`${piece.length.toString(16)}\r\n`, piece, "\r\n");
  }
  return Buffer.concat([...pieces, "0\r\n\r\n"].map((piece) => Buffer.from(piece as string)));
}

function overwritten(bytes: Buffer, { overwrite }: Manner): Buffer {
  // A copy, because the body of a partition is cached.
  const copy = Buffer.from(bytes);
  if (overwrite !== undefined) copy.write(overwrite.text, overwrite.at, "latin1");
  return copy;
}
