// What a call asks for: its arguments besides the options.

import { outOfRange, wrongType } from "../argument/refusal.js";
import type { FindingKind, InspectionKey } from "./finding.js";

/** The inspection and the findings that a call asks for. */
export interface CallTarget {
  readonly inspectionKey: InspectionKey;
  readonly kind?: FindingKind;
  readonly partitionIndex?: number;
}

/** Throws a `TypeError` or `RangeError` if the caller has given a wrong argument. */
export function checkTarget(target: CallTarget): void {
  const { inspectionKey: key, kind, partitionIndex: index }: { [Name in keyof CallTarget]: unknown } = target;
  if (typeof key !== "number" && typeof key !== "bigint" && !isDecimal(key)) {
    throw wrongType("inspectionKey", "a number, a bigint or a string of decimal digits", key);
  }
  if (typeof key === "number" && !Number.isSafeInteger(key))
    throw outOfRange("inspectionKey", "a safe integer (pass larger keys as a bigint or a string)", key);
  if (typeof key !== "number" && !isSigned64(key)) throw outOfRange("inspectionKey", "a signed 64-bit integer", key);
  if ("kind" in target && kind !== "sentiment" && kind !== "topics") {
    throw wrongType("kind", '"sentiment" or "topics"', kind);
  }
  if (!("partitionIndex" in target)) return;
  if (typeof index !== "number") throw wrongType("partitionIndex", "a number", index);
  if (!Number.isSafeInteger(index) || index < 0) {
    throw outOfRange("partitionIndex", `an integer from 0 to ${Number.MAX_SAFE_INTEGER}`, index);
  }
}

/** Whether a value is an integer as `String` writes it. */
function isDecimal(key: unknown): key is string {
  return typeof key === "string" && /^(0|-?[1-9]\d*)$/.test(key);
}

function isSigned64(key: bigint | string): boolean {
  // Converting a long text takes quadratic time.
  if (typeof key === "string") return key.length <= 20 && isSigned64(BigInt(key));
  return BigInt.asIntN(64, key) === key;
}
