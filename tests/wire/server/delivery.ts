/** The delivery of a response: sends its bytes at the requested rate, up to the requested stop. */

import { once } from "node:events";
import type { Socket } from "node:net";
import process from "node:process";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { Manner, Stop, Visit } from "./manner.ts";
import type { Bytes } from "./response.ts";

/** The bytes of a write without a requested rate. */
const usualPiece = 64 * 1024;

/**
 * The time for the client to read what was written, in milliseconds. After a reset, Linux delivers bytes that arrived before it;
 * other systems discard them.
 */
const reading = process.platform === "linux" ? 0 : 40;

/** Resolves when the delivery ends. The connection records what the client does meanwhile. */
export async function deliver(
  socket: Socket,
  { head, body }: Bytes,
  { pace, stop, framing, lie = 0 }: Manner,
  visit: Visit,
): Promise<void> {
  const end = stop === undefined ? head.length + body.length : stopPlace(stop, head, body);
  const bytes = Buffer.concat([head, body]).subarray(0, end);
  const step = pace?.bytes ?? usualPiece;
  for (let from = 0; from < end; from += step) {
    if (from > 0) await (pace ? pause(pace.every) : nextTurn());
    const piece = bytes.subarray(from, from + step);
    await write(socket, piece);
    if (socket.destroyed) return;
    visit.sent = Math.max(0, from + piece.length - head.length);
  }
  if (socket.destroyed) return;
  visit.stalled = stop?.by === "stall" || (lie > 0 && stop === undefined);
  if (stop?.by === "stall") return;
  visit.state = end < head.length + body.length ? "broken" : "responded";
  if (stop?.by === "reset") {
    await pause(reading);
    socket.resetAndDestroy();
  } else if (stop?.by === "close" || framing === "close") {
    socket.end();
  }
}

function stopPlace({ after }: Stop, head: Buffer, body: Buffer): number {
  if (after === "end") return head.length + body.length;
  return "head" in after ? counted(after.head, head) : head.length + counted(after.body, body);
}

function counted(place: number, bytes: Buffer): number {
  return place < 0 ? bytes.length + place : Math.min(place, bytes.length);
}

/** Resolves when the connection accepts more bytes. */
async function write(socket: Socket, piece: Buffer): Promise<void> {
  if (socket.destroyed || socket.write(piece)) return;
  const waited = new AbortController();
  const { signal } = waited;
  await Promise.race([once(socket, "drain", { signal }), once(socket, "close", { signal })]).catch(() => {});
  waited.abort();
}
