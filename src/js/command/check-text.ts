// The text of a check: what a service answered, and what that means, a line each.

import type { CheckReport } from "./check.js";
import { printable } from "./printed.js";

/** Writes a report for a reader. */
export function checkText(report: CheckReport): string {
  const lines: [about: string, text: string][] = [
    ["service", `${report.baseUrl} answered after ${report.milliseconds} ms; ${report.requests} requests in all`],
    ["token", report.isTokenSent ? "accepted" : "none was sent, and none was required"],
    ...(["sentiment", "topics"] as const).map((kind): [string, string] => [kind, kindText(report, kind)]),
    [
      "compression",
      report.compression ?? "none: compress the partitions on the server, which makes them several times smaller",
    ],
    ...corsLines(report),
    ...report.failures.map(({ kind, index, message }): [string, string] => [
      "failed",
      `${kind} partition ${index}: ${message}`,
    ]),
    ...report.differences.map((text): [string, string] => ["differs", text]),
  ];
  return lines.map(([about, text]) => `${about.padEnd(13)}${printable(text)}\n`).join("");
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

function corsLines({ crossOrigin }: CheckReport): [string, string][] {
  if (crossOrigin === null) return [];
  const { origin, isAllowed, obstacles, exposed } = crossOrigin;
  if (!isAllowed) {
    const text = `a page of ${origin} may not call the service: ${obstacles.join("; ")}. Change the service, or use a proxy on your server`;
    return [["pages", text]];
  }
  const hidden = ["retry-after", "content-length"].filter((name) => !exposed.includes(name) && !exposed.includes("*"));
  const unread =
    hidden.length === 0
      ? ""
      : `, but cannot read ${hidden.join(" and ")}: expose them with Access-Control-Expose-Headers`;
  return [["pages", `a page of ${origin} may call the service${unread}`]];
}
