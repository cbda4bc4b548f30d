// The origin of a table's findings: what is known of them, and nothing else.

import { checkTarget } from "./call-target.js";
import type { KindCounts } from "./counts.js";
import type { FindingKind, InspectionKey } from "./finding.js";

/** What the findings of a table are, by the way it was made. */
export type Origin = OfCall | OfPartition | Derived | Made;

/** The findings of one kind of an inspection. */
interface Subject {
  readonly inspectionKey: InspectionKey;
  readonly kind: FindingKind;
}

/** The bytes that a table was opened from. */
interface Saved {
  /** When they were written, in milliseconds as of `Date.now()`; undefined if it was not opened from bytes. */
  readonly savedAt?: number | undefined;
}

/** The findings of a call for all. */
export interface OfCall extends Subject, Saved {
  readonly of: "call";
  /** The number of all findings of this kind, if the call has received all. */
  readonly total?: number | undefined;
  /** The counts of this kind, if the call has read them. */
  readonly counts?: KindCounts | undefined;
  /** The base URL of the call; undefined before it is known. */
  readonly baseUrl?: string | undefined;
}

/** The findings of one partition. */
interface OfPartition extends Subject, Saved {
  readonly of: "partition";
}

/** Findings of tables of one kind of one inspection: a view, a copy with another column, or joined tables. */
interface Derived extends Subject, Saved {
  readonly of: "view" | "extension" | "concat";
  /** The number of all findings of this kind, if the table was made from all. */
  readonly total?: number | undefined;
}

/** Findings of the caller, or of tables of several inspections or kinds. */
interface Made extends Saved {
  readonly of: "caller" | "several";
  /** The kind, if all that have one are of one. */
  readonly kind?: FindingKind | undefined;
  /** The number of findings that the caller has passed. */
  readonly total?: number | undefined;
}

/** What a table of each origin is, in words. */
export const TABLES: { readonly [Of in Origin["of"]]: string } = {
  call: "a table whose call has not read the counts",
  partition: "a single partition",
  view: "a view",
  extension: "a table with an added column",
  concat: "joined tables",
  caller: "a table of FindingsTable.from",
  several: "joined tables",
};

/** The origin of a call that has received nothing yet. */
export function ofCall({ inspectionKey, kind }: Subject): OfCall {
  return { of: "call", inspectionKey, kind };
}

/** The origin of a view. */
export function ofView(origin: Origin): Origin {
  return derivedFrom(origin, "view");
}

/** The origin of a copy with another column. */
export function ofExtension(origin: Origin): Origin {
  // A view stays one: it may lack rows.
  return derivedFrom(origin, origin.of === "view" ? "view" : "extension");
}

/** The origin of joined tables. */
export function ofConcat(origins: readonly Origin[]): Origin {
  // Objects of the caller add their own columns, and no kind.
  const ofService = origins.filter(({ of }) => of !== "caller");
  const [first] = ofService;
  if (first === undefined) return { of: "caller" };
  const kind = ofService.every((origin) => origin.kind === first.kind) ? first.kind : undefined;
  const inspectionKey = inspectionOf(first);
  // A key may be a number, a bigint or a string.
  const isSame = (origin: Origin) => String(inspectionOf(origin)) === String(inspectionKey);
  if (kind === undefined || inspectionKey === undefined || !origins.every(isSame)) return { of: "several", kind };
  return { of: "concat", inspectionKey, kind };
}

/** The inspection of all findings, if they are of one. */
export function inspectionOf(origin: Origin): InspectionKey | undefined {
  return "inspectionKey" in origin ? origin.inspectionKey : undefined;
}

/** The number of all findings, if it is known. */
export function totalOf(origin: Origin): number | undefined {
  return "total" in origin ? origin.total : undefined;
}

/** Whether a table of this length has all findings. */
export function isComplete(origin: Origin, length: number): boolean {
  return origin.of !== "view" && totalOf(origin) === length;
}

/** Writes the origin of a table that is saved at this time. */
export function originText(origin: Origin, savedAt: number): string {
  // JSON has no bigint, but a key may be a string.
  const write = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
  return JSON.stringify({ ...origin, savedAt }, write);
}

/** Reads an origin. Throws if the text is malformed: bytes can be forged. */
export function readOrigin(text: string): Origin {
  const origin: Origin = JSON.parse(text);
  const total = totalOf(origin);
  const areRight =
    Object.hasOwn(TABLES, origin.of) &&
    Number.isFinite(origin.savedAt) &&
    (total === undefined || isCount(total)) &&
    (origin.of !== "call" || areCounts(origin.counts));
  if (!areRight) throw new TypeError(text);
  const { inspectionKey, kind } = origin as Subject;
  const isMade = origin.of === "caller" || origin.of === "several";
  checkTarget(isMade ? { inspectionKey: 0, kind: kind ?? "topics" } : { inspectionKey, kind });
  return origin;
}

function derivedFrom(origin: Origin, of: Derived["of"]): Origin {
  const { savedAt } = origin;
  if (!("inspectionKey" in origin)) return of === "view" ? { of: origin.of, kind: origin.kind, savedAt } : origin;
  const { inspectionKey, kind } = origin;
  return { of, inspectionKey, kind, total: totalOf(origin), savedAt };
}

function areCounts(counts: KindCounts | undefined): boolean {
  if (counts === undefined) return true;
  return isCount(counts.partitions) && (counts.findings === null || isCount(counts.findings));
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
