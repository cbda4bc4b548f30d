// The text of a check: what a service answered, and what that means, a line each.

import type { CheckReport } from "./check.js";
import { printable } from "./printed.js";

/** Writes a report for a reader. */
export function checkText(report: CheckReport): string {
  const lines: [about: string, text: string][] = [
    ["service", `${report.baseUrl} answered after ${report.milliseconds} ms; ${report.requests} requests in all`],
    ["token", tokenText(report)],
    ...(["sentiment", "topics"] as const).map((kind): [string, string] => [kind, kindText(report, kind)]),
    [
      "compression",
      report.compression ?? "none: compress the partitions on the server, which makes them several times smaller",
    ],
    ["validators", validatorsText(report)],
    ["same again", sameText(report)],
    ["clock", clockText(report)],
    ...corsLines(report),
    ...report.failures.map(({ kind, index, message }): [string, string] => [
      "failed",
      `${kind} partition ${index}: ${message}`,
    ]),
    ...report.differences.map((text): [string, string] => ["differs", text]),
  ];
  return lines.map(([about, text]) => `${about.padEnd(13)}${printable(text)}\n`).join("");
}

function tokenText({ token: { isSent, endsAt } }: CheckReport): string {
  if (!isSent) return "none was sent, and none was required";
  return endsAt === null ? "accepted; only the service knows until when" : `accepted; it ends at ${endsAt}`;
}

function kindText({ counts, partitions }: CheckReport, kind: "sentiment" | "topics"): string {
  const { partitions: count, findings } = counts[kind];
  const read = partitions
    .filter((partition) => partition.kind === kind)
    .map(
      ({ index, findings, bytes, milliseconds }) =>
        `partition ${index}: ${findings} findings, ${bytes} bytes, ${milliseconds} ms`,
    );
  return [`${findings ?? "an unknown number of"} findings in ${count} partitions`, ...read].join("; ");
}

function validatorsText({ etag, lastModified }: CheckReport): string {
  const names = [...(etag ? ["ETag"] : []), ...(lastModified ? ["Last-Modified"] : [])];
  if (names.length === 0) return "none: a second visit can keep a table, but its browser cannot revalidate partitions";
  return `${names.join(" and ")}: with cache: "no-cache", a browser revalidates partitions`;
}

function sameText({ isRepeatable }: CheckReport): string {
  if (isRepeatable === null) return "no partition was read twice";
  return isRepeatable
    ? "two responses for one partition have the same bytes"
    : 'two responses for one partition differ: growth: "append" reads everything again if their values differ, too';
}

function clockText({ clockAhead }: CheckReport): string {
  if (clockAhead === null) return "the service does not say its time";
  if (clockAhead === 0) return "no response proves that it differs from that of this machine by a second or more";
  const seconds = Math.round(Math.abs(clockAhead) / 1000);
  return `at least ${seconds} s ${clockAhead > 0 ? "ahead of" : "behind"} that of this machine: a Retry-After with a date is off by as much`;
}

function corsLines({ crossOrigin }: CheckReport): [string, string][] {
  if (crossOrigin === null) return [];
  const { origin, isAllowed, obstacles, isByWildcard, exposed } = crossOrigin;
  if (!isAllowed) {
    const text = `a page of ${origin} may not call the service: ${obstacles.join("; ")}. Change the service, or use a proxy on your server`;
    return [["pages", text]];
  }
  const hidden = ["retry-after", "content-length"].filter((name) => !exposed.includes(name) && !exposed.includes("*"));
  const unread =
    hidden.length === 0
      ? ""
      : `, but cannot read ${hidden.join(" and ")}: expose them with Access-Control-Expose-Headers`;
  const lines: [string, string][] = [["pages", `a page of ${origin} may call the service${unread}`]];
  if (isByWildcard) {
    lines.push([
      "pages",
      "Access-Control-Allow-Headers is *, which browsers apply to all headers; by the Fetch standard it does not cover Authorization: name the header",
    ]);
  }
  return lines;
}
