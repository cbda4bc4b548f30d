// The check: asks a service with few requests, and reports what it answered and what that means for the package.

import { reasonOf } from "../core/host/network-reason.js";
import type { FindingKind } from "../core/table/finding.js";
import { FindingsClient } from "../entries/inline.js";
import type { Command } from "./arguments.js";
import { countsIn, NONE } from "./counts.js";
import { messageOf } from "./failure.js";
import { differencesOf, type FieldTypes, fieldTypesOf } from "./field-types.js";
import { type Recorded, recordedFetch } from "./recorded-fetch.js";
import { type TokenHeader, tokenHeaders } from "./token.js";

/** What is checked, and the origin of a page that wants to call the service. */
export type CheckTarget = Pick<Command & { name: "check" }, "inspectionKey" | "baseUrl" | "tokenHeader" | "origin">;

/** The report. It contains neither texts of respondents nor the token. */
export type CheckReport = Awaited<ReturnType<typeof checkService>>;

/** What is about partitions. */
type Of<More> = ({ kind: FindingKind; index: number } & More)[];

const KINDS = ["sentiment", "topics"] as const;

/** How long the preflight request may take, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Asks the service for the counts, and for the first and the last partition of each kind. Rejects with the error of the package if there are no counts; a
 * partition that fails is in the report.
 */
export async function checkService(target: CheckTarget, signal: AbortSignal) {
  const { baseUrl, inspectionKey, tokenHeader, origin } = target;
  const responses: Recorded[] = [];
  const differences: string[] = [];
  const countsOrNone = (body: unknown, kind: FindingKind) => {
    try {
      return countsIn(body, kind);
    } catch (error) {
      // Without the counts of the other kind, either, there is nothing to check.
      if (differences.push((error as Error).message) === KINDS.length) throw error;
      return NONE;
    }
  };
  const client = new FindingsClient({
    baseUrl,
    headers: () => ({ ...tokenHeaders(tokenHeader), ...(origin !== undefined && { origin }) }),
    fetch: recordedFetch(responses),
    readCounts: (body) => Object.fromEntries(KINDS.map((kind) => [kind, countsOrNone(body, kind)])),
    retries: 0,
    worker: false,
  });
  try {
    const counts = await client.getPartitionCounts(inspectionKey, { signal });
    const partitions: Of<{ findings: number; bytes: number; milliseconds: number }> = [];
    const failures: Of<{ message: string }> = [];
    const fields: Partial<Record<FindingKind, FieldTypes>> = {};
    let compression: string | null = null;
    for (const kind of KINDS) {
      const findings: unknown[] = [];
      const last = counts[kind].partitions - 1;
      for (const index of new Set(last < 0 ? [] : [0, last])) {
        try {
          const own = await client.getPartition(inspectionKey, kind, index, { signal });
          const { body, headers, milliseconds } = responses.at(-1) as Recorded;
          compression ??= headers.get("content-encoding");
          for (const finding of own) findings.push(finding);
          partitions.push({ kind, index, findings: own.length, bytes: (await body).byteLength, milliseconds });
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
    const preflight = origin === undefined ? undefined : await preflightOf(target, origin, signal);
    return {
      baseUrl,
      inspectionKey,
      requests: responses.length + (origin === undefined ? 0 : 1),
      milliseconds: responses[0]?.milliseconds,
      isTokenSent: Object.keys(tokenHeaders(tokenHeader)).length > 0,
      counts,
      partitions,
      failures,
      fields,
      compression,
      crossOrigin: preflight && origin ? crossOriginOf(tokenHeader, origin, preflight, responses) : null,
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
  checked: readonly { kind: FindingKind; findings: number }[],
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
function crossOriginOf(tokenHeader: TokenHeader, origin: string, preflight: Preflight, responses: readonly Recorded[]) {
  const allowsOrigin = (headers: Headers) => ["*", origin].includes(headers.get("access-control-allow-origin") ?? "");
  const obstacles: string[] = [];
  if ("reason" in preflight) {
    obstacles.push(`the preflight request (OPTIONS) failed: ${preflight.reason}`);
  } else {
    const { ok, status, headers } = preflight;
    const names = listed(headers, "access-control-allow-headers");
    // By the Fetch standard, the wildcard does not cover authorization. In browsers, it does.
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
    /** The status of the response to the preflight request; null if there was none. */
    preflightStatus: "reason" in preflight ? null : preflight.status,
    /** Whether a page may send the token and read all responses. */
    isAllowed: obstacles.length === 0,
    /** Why not, each with what the service has to change. */
    obstacles,
    /** The response headers that the page can read, beside those that every page can. */
    exposed: listed(responses.at(-1)?.headers ?? new Headers(), "access-control-expose-headers"),
  };
}

/** The names that a header lists, in lower case. */
function listed(headers: Headers, name: string): string[] {
  const names = (headers.get(name) ?? "").toLowerCase().split(",");
  return names.map((one) => one.trim()).filter(Boolean);
}
