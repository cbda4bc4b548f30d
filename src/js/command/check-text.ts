// The text of a check: what a service answered, and what that means, a line each.

import type { CheckReport } from "./check.js";
import { printable } from "./printed.js";

/** Writes a report for a reader. */
export function checkText(report: CheckReport): string {
  const { baseUrl, milliseconds, requests, isTokenSent, compression, failures, differences, crossOrigin } = report;
  const line = (about: string, text: string) => `${about.padEnd(13)}${printable(text)}\n`;
  return [
    line("service", `${baseUrl} responded after ${milliseconds} ms; ${requests} requests in all`),
    line("token", isTokenSent ? "accepted" : "none was sent, and none was required"),
    ...(["sentiment", "topics"] as const).map((kind) => line(kind, kindText(report, kind))),
    line(
      "compression",
      compression ?? "none: compress the partitions on the server, which makes them several times smaller",
    ),
    crossOrigin === null ? "" : line("pages", pagesText(crossOrigin)),
    ...failures.map(({ kind, index, message }) => line("failed", `${kind} partition ${index}: ${message}`)),
    ...differences.map((text) => line("differs", text)),
  ].join("");
}

function kindText({ counts, partitions }: CheckReport, kind: "sentiment" | "topics"): string {
  const { partitions: count, findings } = counts[kind];
  const own = partitions.filter((partition) => partition.kind === kind);
  const read = own.map(
    (one) => `partition ${one.index}: ${one.findings} findings, ${one.bytes} bytes, ${one.milliseconds} ms`,
  );
  return [`${findings ?? "an unknown number of"} findings in ${count} partitions`, ...read].join("; ");
}

function pagesText({ origin, isAllowed, obstacles, exposed }: NonNullable<CheckReport["crossOrigin"]>): string {
  if (!isAllowed)
    return `a page of ${origin} may not call the service: ${obstacles.join("; ")}. Change the service, or use a proxy on your server`;
  const isRead = exposed.includes("retry-after") || exposed.includes("*");
  const unread = ", but cannot read Retry-After: expose it with Access-Control-Expose-Headers";
  return `a page of ${origin} may call the service${isRead ? "" : unread}`;
}
