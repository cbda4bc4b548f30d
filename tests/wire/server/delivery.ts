/** The delivery of a response: sends its bytes at the requested rate, up to the requested stop. */

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
  const all = Buffer.concat([head, body]);
  const end = stop === undefined ? all.length : stopPlace(stop.after, head, body);
  const step = pace?.bytes ?? usualPiece;
  for (let from = 0; from < end; from += step) {
    if (from > 0) await (pace ? pause(pace.every) : nextTurn());
    const to = Math.min(from + step, end);
    await new Promise((resolve) => socket.write(all.subarray(from, to), resolve));
    if (socket.destroyed) return;
    visit.sent = Math.max(0, to - head.length);
  }
  if (socket.destroyed) return;
  visit.stalled = stop?.by === "stall" || (lie > 0 && stop === undefined);
  if (stop?.by === "stall") return;
  visit.state = end < all.length ? "broken" : "responded";
  if (stop?.by === "reset") {
    await pause(reading);
    socket.resetAndDestroy();
  } else if (stop?.by === "close" || framing === "close") {
    socket.end();
  }
}

/** The number of bytes before a stop: a negative place counts from the end, and one beyond it is the end. */
function stopPlace(after: Stop["after"], head: Buffer, body: Buffer): number {
  if ("head" in after) return head.subarray(0, after.head).length;
  return head.length + body.subarray(0, after.body).length;
}
