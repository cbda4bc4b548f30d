// The head start of a call: the request for its counts is sent while the module is still being loaded.

import { EarlyRequest } from "./early-request.js";
import type { Options } from "./inspection_findings.js";
import type { Subject } from "./instance.js";
import { OPTION_NAMES } from "./option_names.js";

const KINDS: readonly unknown[] = ["sentiment", "topics"];

/** The options that a call may have, each with its check. A call with any other has no head start. */
const CHECKS: { readonly [Name in keyof Options]?: (value: unknown) => boolean } = {
  baseUrl: (value) => typeof value === "string" || value instanceof URL,
  worker: (value) => value === false,
  signal: (value) => value instanceof AbortSignal && !value.aborted,
  onProgress: isFunction,
  onPartition: isFunction,
};

/**
 * Requests the counts that a call begins with. Undefined where an argument is not certain to be right, because the module may
 * refuse it, or where an option concerns the request.
 *
 * @param options those of the client and of the call
 */
export function headStart(subject: Subject, ...options: (Options | undefined)[]): EarlyRequest | undefined {
  if (typeof fetch !== "function" || !isRight(subject) || !options.every(areHarmless)) return undefined;
  const base = baseOf(options.reduce<Options["baseUrl"]>((base, given) => given?.baseUrl ?? base, undefined));
  return base === undefined ? undefined : new EarlyRequest(`${base}Findings/${subject.inspectionKey}`);
}

function isRight(subject: Subject): boolean {
  const { inspectionKey } = subject;
  const isKey =
    typeof inspectionKey === "bigint"
      ? BigInt.asIntN(64, inspectionKey) === inspectionKey
      : Number.isSafeInteger(inspectionKey);
  return isKey && (!("kind" in subject) || KINDS.includes(subject.kind));
}

/** Whether options are right, and none but `baseUrl` concerns the request. */
function areHarmless(options: Options | undefined): boolean {
  if (options === undefined) return true;
  if (typeof options !== "object" || options === null) return false;
  const names = OPTION_NAMES as readonly string[];
  return Object.entries(options).every(
    ([name, value]) =>
      names.includes(name) && (value === undefined || (CHECKS[name as keyof Options]?.(value) ?? false)),
  );
}

/** The base URL as the module reads it; undefined if the module refuses it. */
function baseOf(given: Options["baseUrl"] = "."): string | undefined {
  try {
    const { protocol, username, password, search, hash, origin, pathname } = new URL(given, pageBase());
    if (!/^https?:$/.test(protocol) || username + password + search + hash !== "") return undefined;
    return `${origin}${pathname}${pathname.endsWith("/") ? "" : "/"}`;
  } catch {
    return undefined;
  }
}

function pageBase(): string | undefined {
  return globalThis.document?.baseURI ?? globalThis.location?.href;
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}
