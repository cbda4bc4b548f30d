/** The code that does what the page did: a few lines that run as they are, once a token is put in where one is needed. */

import type { Condition, FindingKind } from "inspection-findings";
import { literal, textLiteral } from "./literal.js";

/** What the page did, in plain values. */
export interface Description {
  inspectionKey: number | bigint;
  kind: FindingKind;
  /** The base URL as the page used it, with scheme and host: the code may run elsewhere. */
  baseUrl: string | URL;
  /** Whether that is the built-in service, which answers nobody but the page. */
  isBuiltIn?: boolean;
  /** The header in which a token was sent; left out where there was none. The token itself is never asked for. */
  tokenHeader?: "authorization" | "authentication";
  /** Other options in use; those that have their default value, and functions, do not become code. */
  options?: Readonly<Record<string, unknown>>;
  /** Whether what was missing after a failure has been got by `resume()`. Goes with `failurePolicy: "collect"`. */
  resumed?: boolean;
  /** The filter that is active. */
  filter?: Readonly<Record<string, Condition>>;
  /** The order that is active. */
  sort?: { path: string; direction?: "asc" | "desc" };
}

/** What stands where the token has to be. */
export const tokenPlaceholder = "YOUR TOKEN";

/** The default values of the options that can become code. */
const defaults: Readonly<Record<string, unknown>> = {
  credentials: "same-origin",
  cache: "no-store",
  concurrency: 6,
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
    ...(description.isBuiltIn
      ? ["// The built-in service answers in its page only: put in the base URL of yours."]
      : []),
    `const client = new FindingsClient(${literal(optionsOf(description))});`,
    description.resumed ? loadAndResume(description) : `const table = await ${load(description)};`,
    ...viewOf(description),
  ];
  return `${parts[0]}\n\n${parts.slice(1).join("\n")}\n`;
}

function optionsOf({ baseUrl, tokenHeader, options = {} }: Description): Record<string, unknown> {
  const headers = tokenHeader === undefined ? {} : { headers: { [tokenHeader]: tokenPlaceholder } };
  return { baseUrl: String(baseUrl), ...headers, ...othersThanDefaults(options) };
}

/** Headers are left out whatever is given, as a token may be in them. */
function othersThanDefaults(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
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
    "  return error.resume(); // gets what is missing",
    "});",
  ].join("\n");
}

function viewOf({ filter = {}, sort }: Description): string[] {
  const filtered = Object.keys(filter).length === 0 ? "" : `.filter(${literal(filter)})`;
  const direction = sort?.direction === "desc" ? ', "desc"' : "";
  const sorted = sort === undefined ? "" : `.sortBy(${textLiteral(sort.path)}${direction})`;
  return filtered + sorted === "" ? [] : [`const view = table${filtered}${sorted};`];
}
