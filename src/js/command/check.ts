// The check: asks a service with few requests, and reports what it answered and what that means for the package.

import { FindingsClient } from "../entries/inline.js";
import { reasonOf } from "../host/network-reason.js";
import type { FindingKind } from "../table/finding.js";
import { messageOf } from "./failure.js";
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

/** A partition that could not be read. */
interface FailedPartition {
  readonly kind: FindingKind;
  readonly index: number;
  readonly message: string;
}

/** What a page of the origin gets. */
interface CrossOrigin {
  readonly origin: string;
  /** The status of the response to the preflight request; null if there was none. */
  readonly preflightStatus: number | null;
  /** Whether a page may send the token and read all responses. */
  readonly isAllowed: boolean;
  /** Why not, each with what the service has to change. */
  readonly obstacles: readonly string[];
  /** Whether the token's header is allowed by a wildcard only. */
  readonly isByWildcard: boolean;
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
  readonly failures: readonly FailedPartition[];
  readonly fields: Readonly<Partial<Record<FindingKind, FieldTypes>>>;
  /** Of the first partition: "gzip", for example; null for none. */
  readonly compression: string | null;
  readonly etag: boolean;
  readonly lastModified: boolean;
  /** Whether two responses for one partition were the same bytes; null if there is no partition. */
  readonly isRepeatable: boolean | null;
  /**
   * Milliseconds by which the clock of the service is ahead of that of this machine, as far as its responses prove it: 0 if none does; null if the
   * service does not say its time.
   */
  readonly clockAhead: number | null;
  readonly crossOrigin: CrossOrigin | null;
  /** What differs from the documentation of the service, and what to do. */
  readonly differences: readonly string[];
}

const KINDS = ["sentiment", "topics"] as const;

/** How long the preflight request may take, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Asks the service: for the counts, for the first and the last partition of each kind, and for one of them again. Rejects with the error of the package if
 * there are no counts; a partition that fails is in the report.
 */
export async function checkService(target: CheckTarget, signal: AbortSignal): Promise<CheckReport> {
  const { baseUrl, inspectionKey, tokenHeader, origin } = target;
  const recorded = new RecordedFetch();
  const client = new FindingsClient({
    baseUrl,
    headers: () => ({ ...tokenHeaders(tokenHeader), ...(origin !== undefined && { origin }) }),
    fetch: recorded.fetch,
    retries: 0,
    worker: false,
  });
  try {
    const counts = await client.getPartitionCounts(inspectionKey, { signal });
    const first = recorded.last;
    const partitions: CheckedPartition[] = [];
    const failures: FailedPartition[] = [];
    const fields: Partial<Record<FindingKind, FieldTypes>> = {};
    const differences: string[] = [];
    let sample: Recorded | undefined;
    let isRepeatable: boolean | null = null;
    for (const kind of KINDS) {
      const findings: unknown[] = [];
      const last = counts[kind].partitions - 1;
      for (const index of new Set(last < 0 ? [] : [0, last])) {
        try {
          const own = await client.getPartition(inspectionKey, kind, index, { signal });
          const response = recorded.last;
          const body = await response.body;
          sample ??= response;
          for (const finding of own) findings.push(finding);
          const milliseconds = response.arrived - response.sent;
          partitions.push({ kind, index, findings: own.length, bytes: body.length, milliseconds });
          if (isRepeatable !== null) continue;
          await client.getPartition(inspectionKey, kind, index, { signal });
          isRepeatable = body.equals(await recorded.last.body);
        } catch (error) {
          signal.throwIfAborted();
          failures.push({ kind, index, message: messageOf(error, tokenHeader, false) });
        }
      }
      if (findings.length > 0) {
        fields[kind] = fieldTypesOf(findings);
        differences.push(...differencesOf(fields[kind], kind));
      }
      if (!failures.some((failure) => failure.kind === kind)) {
        differences.push(...wrongTotals(kind, counts[kind], partitions));
      }
    }
    return {
      baseUrl,
      inspectionKey,
      requests: recorded.responses.length + (origin === undefined ? 0 : 1),
      milliseconds: first.arrived - first.sent,
      token: tokenOf(tokenHeaders(tokenHeader)),
      counts,
      partitions,
      failures,
      fields,
      compression: sample?.headers.get("content-encoding") ?? null,
      etag: sample?.headers.has("etag") ?? false,
      lastModified: sample?.headers.has("last-modified") ?? false,
      isRepeatable,
      clockAhead: clockAheadOf(recorded.responses),
      crossOrigin:
        origin === undefined
          ? null
          : crossOriginOf(tokenHeader, origin, await preflightOf(target, origin, signal), recorded.responses),
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

/** A response says its time in whole seconds: some moment between the request and its headers. */
export function clockAheadOf(responses: readonly Pick<Recorded, "headers" | "sent" | "arrived">[]): number | null {
  const dated = responses.flatMap(({ headers, sent, arrived }) => {
    const date = Date.parse(headers.get("date") ?? "");
    return Number.isNaN(date) ? [] : [{ least: date - arrived, most: date + 1000 - sent }];
  });
  if (dated.length === 0) return null;
  const least = Math.max(...dated.map(({ least }) => least));
  const most = Math.min(...dated.map(({ most }) => most));
  const ahead = least > 0 ? least : Math.min(most, 0);
  return Math.abs(ahead) < 1000 ? 0 : ahead;
}

/** The response to a preflight request, or why there is none. */
type Preflight = Pick<Response, "ok" | "status" | "headers"> | { readonly reason: string };

/** Asks what a browser asks before a page of this origin may send the token. */
async function preflightOf(
  { baseUrl, inspectionKey, tokenHeader }: CheckTarget,
  origin: string,
  signal: AbortSignal,
): Promise<Preflight> {
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, PATIENCE);
  signal.addEventListener("abort", end);
  try {
    const response = await fetch(`${baseUrl}Findings/${inspectionKey}`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "GET", "access-control-request-headers": tokenHeader },
      redirect: "manual",
      signal: ending.signal,
    });
    // Nobody reads the body, which may be broken.
    response.body?.cancel().catch(() => {});
    return response;
  } catch (error) {
    signal.throwIfAborted();
    return { reason: ending.signal.aborted ? `no response within ${PATIENCE / 1000} s` : reasonOf(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

/** What a browser lets a page do: the preflight response says what it may send, and each other response whether it may be read. */
function crossOriginOf(
  tokenHeader: TokenHeader,
  origin: string,
  preflight: Preflight,
  responses: readonly Recorded[],
): CrossOrigin {
  const allowsOrigin = (headers: Headers) => ["*", origin].includes(headers.get("access-control-allow-origin") ?? "");
  const obstacles: string[] = [];
  let isByWildcard = false;
  if ("reason" in preflight) {
    obstacles.push(`the preflight request (OPTIONS) failed: ${preflight.reason}`);
  } else {
    const { ok, status, headers } = preflight;
    const names = listed(headers, "access-control-allow-headers");
    // By the Fetch standard, the wildcard does not cover authorization. In browsers, it does.
    isByWildcard = tokenHeader === "authorization" && !names.includes(tokenHeader) && names.includes("*");
    if (!ok) obstacles.push(`the preflight request (OPTIONS) has status ${status}, not 200 to 299`);
    if (!allowsOrigin(headers))
      obstacles.push("Access-Control-Allow-Origin of the preflight response does not name it");
    if (!names.includes(tokenHeader) && !names.includes("*")) {
      obstacles.push(`Access-Control-Allow-Headers of the preflight response does not name ${tokenHeader}`);
    }
  }
  if (!responses.every(({ headers }) => allowsOrigin(headers))) {
    obstacles.push("Access-Control-Allow-Origin of a response to GET does not name it");
  }
  return {
    origin,
    preflightStatus: "reason" in preflight ? null : preflight.status,
    isAllowed: obstacles.length === 0,
    obstacles,
    isByWildcard,
    exposed: listed(responses.at(-1)?.headers ?? new Headers(), "access-control-expose-headers"),
  };
}

/** The names that a header lists, in lower case. */
function listed(headers: Headers, name: string): string[] {
  const names = (headers.get(name) ?? "").toLowerCase().split(",");
  return names.map((one) => one.trim()).filter(Boolean);
}
