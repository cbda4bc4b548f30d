// The check: asks a service with few requests, and reports what it answered and what that means for the package.

import { FindingsClient } from "../entries/inline.js";
import type { FindingKind } from "../table/finding.js";
import { differencesOf, type FieldTypes, fieldTypesOf } from "./field-types.js";
import { type Recorded, RecordedFetch } from "./recorded-fetch.js";
import { type TokenHeader, tokenHeaders } from "./token.js";

/** What is checked. */
export interface CheckTarget {
  readonly inspectionKey: string;
  readonly baseUrl: string;
  readonly tokenHeader: TokenHeader;
  /** The origin of a page that wants to call the service. */
  readonly origin: string | undefined;
}

/** A partition that was read. */
interface CheckedPartition {
  readonly kind: FindingKind;
  readonly index: number;
  readonly findings: number;
  /** Of the body, decompressed. */
  readonly bytes: number;
  readonly milliseconds: number;
}

/** What a page of the origin gets. */
interface CrossOrigin {
  readonly origin: string;
  /** The status of the response to the preflight request. */
  readonly preflightStatus: number;
  readonly isAllowed: boolean;
  /** The response headers that the page can read, beside those that every page can. */
  readonly exposed: readonly string[];
}

/** The report. It contains neither texts of respondents nor the token. */
export interface CheckReport {
  readonly baseUrl: string;
  readonly inspectionKey: string;
  readonly requests: number;
  /** Milliseconds until the headers of the response to the request for the counts. */
  readonly milliseconds: number;
  readonly token: { readonly isSent: boolean; readonly endsAt: string | null };
  readonly counts: Readonly<Record<FindingKind, { readonly partitions: number; readonly findings: number | null }>>;
  readonly partitions: readonly CheckedPartition[];
  readonly fields: Readonly<Partial<Record<FindingKind, FieldTypes>>>;
  /** Of the first partition: "gzip", for example; null for none. */
  readonly compression: string | null;
  readonly etag: boolean;
  readonly lastModified: boolean;
  /** Whether two responses for one partition were the same bytes; null if there is no partition. */
  readonly isRepeatable: boolean | null;
  /** Milliseconds by which the clock of the service is ahead of that of this machine; null if it does not say its time. */
  readonly clockAhead: number | null;
  readonly crossOrigin: CrossOrigin | null;
  /** What differs from the documentation of the service, and what to do. */
  readonly differences: readonly string[];
}

const KINDS = ["sentiment", "topics"] as const;

/**
 * Asks the service: for the counts, for the first and the last partition of each kind, and for one of them again. Rejects with the error of the package if a
 * call would.
 */
export async function checkService(target: CheckTarget, signal: AbortSignal): Promise<CheckReport> {
  const { baseUrl, inspectionKey, tokenHeader } = target;
  const recorded = new RecordedFetch();
  const client = new FindingsClient({
    baseUrl,
    headers: () => tokenHeaders(tokenHeader),
    fetch: recorded.fetch,
    retries: 0,
    worker: false,
  });
  try {
    const counts = await client.getPartitionCounts(inspectionKey, { signal });
    const first = recorded.last;
    const partitions: CheckedPartition[] = [];
    const fields: Partial<Record<FindingKind, FieldTypes>> = {};
    const differences: string[] = [];
    let sample: Recorded | undefined;
    let isRepeatable: boolean | null = null;
    for (const kind of KINDS) {
      const findings: unknown[] = [];
      const last = counts[kind].partitions - 1;
      for (const index of new Set(last < 0 ? [] : [0, last])) {
        const own = await client.getPartition(inspectionKey, kind, index, { signal });
        for (const finding of own) findings.push(finding);
        const response = recorded.last;
        const body = await response.body;
        sample ??= response;
        partitions.push({ kind, index, findings: own.length, bytes: body.length, milliseconds: response.latency });
        if (isRepeatable !== null) continue;
        await client.getPartition(inspectionKey, kind, index, { signal });
        isRepeatable = body.equals(await recorded.last.body);
      }
      if (findings.length > 0) {
        fields[kind] = fieldTypesOf(findings);
        differences.push(...differencesOf(fields[kind], kind));
      }
      differences.push(...wrongTotals(kind, counts[kind], partitions));
    }
    return {
      baseUrl,
      inspectionKey,
      requests: recorded.responses.length + (target.origin === undefined ? 0 : 1),
      milliseconds: first.latency,
      token: tokenOf(tokenHeaders(tokenHeader)),
      counts,
      partitions,
      fields,
      compression: sample?.headers.get("content-encoding") ?? null,
      etag: sample?.headers.has("etag") ?? false,
      lastModified: sample?.headers.has("last-modified") ?? false,
      isRepeatable,
      clockAhead: clockAheadOf(first),
      crossOrigin: target.origin === undefined ? null : await crossOriginOf(target, target.origin, signal),
      differences,
    };
  } finally {
    client.free();
  }
}

/** What the totals say that cannot be, as far as few partitions show it. */
function wrongTotals(
  kind: FindingKind,
  { partitions, findings }: { partitions: number; findings: number | null },
  checked: readonly CheckedPartition[],
): string[] {
  if (findings === null) return [`there is no total of ${kind} findings: no call can tell whether one is missing`];
  const own = checked.filter((partition) => partition.kind === kind);
  const seen = own.reduce((sum, partition) => sum + partition.findings, 0);
  const isWrong = own.length === partitions ? seen !== findings : seen > findings;
  if (!isWrong) return [];
  return [
    `the total says ${findings} ${kind} findings, and ${own.length} of ${partitions} partitions have ${seen}: ` +
      'calls reject with "incomplete", unless you pass completeness: "off"',
  ];
}

/** When a token ends that is a JSON web token. */
function tokenOf(headers: Record<string, string>): CheckReport["token"] {
  const [token] = Object.values(headers);
  if (token === undefined) return { isSent: false, endsAt: null };
  try {
    const [, payload = ""] = token.split(".");
    const { exp }: { exp?: unknown } = JSON.parse(Buffer.from(payload, "base64url").toString());
    if (typeof exp === "number") return { isSent: true, endsAt: new Date(exp * 1000).toISOString() };
  } catch {
    // Only the service can read it.
  }
  return { isSent: true, endsAt: null };
}

/** A response says its time in whole seconds. */
function clockAheadOf(response: Recorded): number | null {
  const date = Date.parse(response.headers.get("date") ?? "");
  if (Number.isNaN(date)) return null;
  const ahead = date + 500 - response.date;
  return Math.abs(ahead) <= 1000 ? 0 : Math.round(ahead);
}

/** Asks what a browser asks before a page of this origin may send the token. */
async function crossOriginOf(
  { baseUrl, inspectionKey, tokenHeader }: CheckTarget,
  origin: string,
  signal: AbortSignal,
): Promise<CrossOrigin> {
  const response = await fetch(`${baseUrl}Findings/${inspectionKey}`, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "GET", "access-control-request-headers": tokenHeader },
    redirect: "manual",
    signal,
  });
  await response.body?.cancel();
  const listed = (name: string) =>
    (response.headers.get(name) ?? "")
      .toLowerCase()
      .split(/\s*,\s*/)
      .filter(Boolean);
  const allowed = response.headers.get("access-control-allow-origin");
  const names = listed("access-control-allow-headers");
  // The wildcard does not cover authorization.
  const allowsHeader = names.includes(tokenHeader) || (names.includes("*") && tokenHeader !== "authorization");
  return {
    origin,
    preflightStatus: response.status,
    isAllowed: response.ok && (allowed === origin || allowed === "*") && allowsHeader,
    exposed: listed("access-control-expose-headers"),
  };
}
