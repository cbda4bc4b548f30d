// The warm-up of an instance. Engines compile a function when it is first called, so the first findings would wait for that. Therefore an invented
// finding is decoded and built while the first response is on its way.

import { yieldNow } from "../host/yield-now.js";
import type { Instance } from "../module/instance.js";
import { PackedRows } from "../table/rows/packed-rows.js";

/** A body with values of all kinds. */
const BODY =
  '{"Findings":[{"Comment":"\\u00e4","Sentiment":-1,"NoTopic":true,"TopicGroup":null,"Topic":{"Text":"a","Score":0.5}}],"errors":null}';

/** The instances that are warm, or become so. */
const warm = new WeakSet<Instance>();

/** Warms an instance up, unless that has begun before. Calls need not wait for it. */
export async function warmUp(instance: Instance): Promise<void> {
  if (warm.has(instance)) return;
  warm.add(instance);
  // A request that is ready leaves first.
  await yieldNow();
  if (instance.isLost) return;
  const { memory, beginBody, decodeMore, packedStart, packedLength, endBody } = instance.exports;
  const body = new TextEncoder().encode(BODY);
  // Of its values, nobody can choose some that collide, so any seed serves.
  const start = beginBody(body.length, 1, 0.5) >>> 0;
  if (start === 0) return;
  new Uint8Array(memory.buffer, start, body.length).set(body);
  while (decodeMore() === 0);
  const packed = new Uint8Array(memory.buffer, packedStart() >>> 0, packedLength() >>> 0).slice();
  endBody();
  new PackedRows(packed).append([], Number.POSITIVE_INFINITY);
}
