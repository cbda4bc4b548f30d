/** A response as bytes, in the manner that a test requests. */

import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** @typedef {import("./manner.js").Manner} Manner */
/** @typedef {{ head: Buffer, body: Buffer }} Bytes */

// The best quality of brotli takes seconds.
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const encoders = { gzip: gzipSync, br: (/** @type {Buffer} */ bytes) => brotliCompressSync(bytes, fast) };

/**
 * @param {Response} truth
 * @param {Manner} manner
 * @returns {Promise<Bytes>}
 */
export async function responseBytes(truth, manner) {
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

/**
 * Encodes the body, before it is framed.
 * @param {Response} truth
 * @param {Manner} manner
 */
async function contentBytes(truth, { body, charset, padding = 0, encoding, shorten = 0 }) {
  const plain = body === undefined ? Buffer.from(await truth.arrayBuffer()) : Buffer.from(body, charset);
  const padded = Buffer.concat([plain, Buffer.alloc(padding, " ")]);
  const encoded = encoding === undefined ? padded : encoders[encoding](padded);
  return encoded.subarray(0, encoded.length - shorten);
}

/**
 * @param {Buffer} content
 * @param {Manner} manner
 * @returns {Record<string, string>}
 */
function framingHeaders(content, { encoding, framing, lie = 0 }) {
  return {
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    ...(framing === "chunked" ? { "transfer-encoding": "chunked" } : {}),
    ...(framing === "close" ? { connection: "close" } : {}),
    ...(framing === undefined ? { "content-length": String(content.length + lie) } : {}),
  };
}

/**
 * @param {Buffer} content
 * @param {Manner} manner
 */
function framed(content, { framing, chunk = 4096 }) {
  if (framing !== "chunked") {
    return content;
  }
  const pieces = [];
  for (let from = 0; from < content.length; from += chunk) {
    const piece = content.subarray(from, from + chunk);
    pieces.push(`${piece.length.toString(16)}\r\n`, piece, "\r\n");
  }
  return Buffer.concat([...pieces, "0\r\n\r\n"].map((piece) => Buffer.from(piece)));
}

/**
 * @param {Buffer} bytes
 * @param {Manner} manner
 */
function overwritten(bytes, { overwrite }) {
  // A copy, because the body of a partition is cached.
  const copy = Buffer.from(bytes);
  if (overwrite !== undefined) {
    copy.write(overwrite.text, overwrite.at, "latin1");
  }
  return copy;
}
