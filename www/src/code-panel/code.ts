/** The code that fetches what the page shows. It runs as it is, once a token is inserted where the service needs one. */

import type { Condition, FindingKind } from "inspection-findings";
import { literal, textLiteral } from "./literal.js";

/** What the page shows, as plain values. */
export interface Description {
  inspectionKey: number | bigint;
  kind: FindingKind;
  /** The absolute base URL, because the code may run elsewhere. */
  baseUrl: string | URL;
  /** Whether it is that of the built-in service, which only this page can call. */
  isBuiltIn?: boolean;
  /** The header that had a token, if any. The token itself never becomes code. */
  tokenHeader?: "authorization" | "authentication";
  /** Other options. Default values and functions do not become code. */
  options?: Readonly<Record<string, unknown>>;
  /** Whether `resume()` has fetched missing partitions. Requires `failurePolicy: "collect"`. */
  resumed?: boolean;
  /** The active filter. */
  filter?: Readonly<Record<string, Condition>>;
  /** The active order. */
  sort?: { path: string; direction?: "asc" | "desc" };
}

/** The placeholder of the token. */
export const tokenPlaceholder = "YOUR TOKEN";

/** The default values of the options that can become code. */
const defaults: Readonly<Record<string, unknown>> = {
  worker: "auto",
  credentials: "same-origin",
  cache: "no-store",
  concurrency: 8,
  timeout: 30_000,
  retries: 3,
  maxRetryAfter: 60_000,
  completeness: "strict",
  maxPartitionBytes: 256 * 1024 * 1024,
  failurePolicy: "fail-fast",
  order: "index",
  maxBufferedBytes: 64 * 1024 * 1024,
  measure: false,
};

export function codeFor(description: Description): string {
  const parts = [
    'import { FindingsClient } from "inspection-findings";',
    ...(description.isBuiltIn ? ["// Only the demo can call its built-in service: insert the base URL of yours."] : []),
    `const client = new FindingsClient(${literal(optionsOf(description))});`,
    description.resumed ? loadAndResume(description) : `const table = await ${load(description)};`,
    ...viewOf(description),
  ];
  return `${parts[0]}\n\n${parts.slice(1).join("\n")}\n`;
}

function optionsOf({ baseUrl, tokenHeader, options = {} }: Description): Record<string, unknown> {
  const headers = tokenHeader === undefined ? {} : { headers: { [tokenHeader]: tokenPlaceholder } };
  return { baseUrl: String(baseUrl), ...headers, ...nonDefaults(options) };
}

/** Never returns headers, because they may contain a token. */
function nonDefaults(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const written = Object.entries(options).filter(
    ([name, value]) => name in defaults && value !== undefined && value !== defaults[name],
  );
  return Object.fromEntries(written);
}

function load({ inspectionKey, kind }: Description): string {
  return `client.loadTable(${literal(inspectionKey)}, ${literal(kind)})`;
}

function loadAndResume(description: Description): string {
  return [
    `const table = await ${load(description)}.catch((error) => {`,
    '  if (error.code !== "partial") throw error;',
    "  return error.resume(); // fetches the missing partitions",
    "});",
  ].join("\n");
}

function viewOf({ filter = {}, sort }: Description): string[] {
  const filtered = Object.keys(filter).length === 0 ? "" : `.filter(${literal(filter)})`;
  const direction = sort?.direction === "desc" ? ', "desc"' : "";
  const sorted = sort === undefined ? "" : `.sortBy(${textLiteral(sort.path)}${direction})`;
  return filtered + sorted === "" ? [] : [`const view = table${filtered}${sorted};`];
}
