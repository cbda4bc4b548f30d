/** The delivery of a response: sends its bytes at the requested rate, up to the requested stop. */

import { once } from "node:events";
import process from "node:process";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";

/** @typedef {import("node:net").Socket} Socket */
/** @typedef {import("./response.js").Bytes} Bytes */
/** @typedef {import("./manner.js").Manner} Manner */
/** @typedef {import("./manner.js").Stop} Stop */
/** @typedef {import("./manner.js").Visit} Visit */

/** The bytes of a write without a requested rate. */
const usualPiece = 64 * 1024;

/**
 * The time for the client to read what was written, in milliseconds. After a reset, Linux delivers bytes that arrived before it;
 * other systems discard them.
 */
const reading = process.platform === "linux" ? 0 : 40;

/**
 * Resolves when the delivery ends. The connection records what the client does meanwhile.
 * @param {Socket} socket
 * @param {Bytes} bytes
 * @param {Manner} manner
 * @param {Visit} visit
 */
export async function deliver(socket, { head, body }, { pace, stop, framing, lie = 0 }, visit) {
  const end = stop === undefined ? head.length + body.length : stopPlace(stop, head, body);
  const bytes = Buffer.concat([head, body]).subarray(0, end);
  const step = pace?.bytes ?? usualPiece;
  for (let from = 0; from < end; from += step) {
    if (from > 0) {
      await (pace ? pause(pace.every) : nextTurn());
    }
    const piece = bytes.subarray(from, from + step);
    await write(socket, piece);
    if (socket.destroyed) {
      return;
    }
    visit.sent = Math.max(0, from + piece.length - head.length);
  }
  if (socket.destroyed) {
    return;
  }
  if (stop?.by === "stall") {
    visit.stalled = true;
    return;
  }
  visit.state = end < head.length + body.length ? "broken" : "responded";
  visit.stalled = lie > 0 && stop === undefined;
  if (stop?.by === "reset") {
    await pause(reading);
    socket.resetAndDestroy();
  } else if (stop?.by === "close" || framing === "close") {
    socket.end();
  }
}

/**
 * @param {Stop} stop
 * @param {Buffer} head
 * @param {Buffer} body
 */
function stopPlace({ after }, head, body) {
  if (after === "end") {
    return head.length + body.length;
  }
  return "head" in after ? counted(after.head, head) : head.length + counted(after.body, body);
}

/**
 * @param {number} place
 * @param {Buffer} bytes
 */
function counted(place, bytes) {
  return place < 0 ? bytes.length + place : Math.min(place, bytes.length);
}

/**
 * Resolves when the connection accepts more bytes.
 * @param {Socket} socket
 * @param {Buffer} piece
 */
async function write(socket, piece) {
  if (socket.destroyed || socket.write(piece)) {
    return;
  }
  const waited = new AbortController();
  const { signal } = waited;
  await Promise.race([once(socket, "drain", { signal }), once(socket, "close", { signal })]).catch(() => {});
  waited.abort();
}
