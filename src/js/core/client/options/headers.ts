// The headers of requests: fixed ones, or a function that is called before every attempt.

import { entriesOf, plainObject } from "../../argument/passed-object.js";
import { refusal, typeOf } from "../../argument/refusal.js";
import { functionOfCaller } from "../../error/call-stack.js";
import { isObject, orUndefined } from "../../host/member.js";
import type { HeadersContext } from "../options.js";

/** Fixed headers, or a function that returns the headers of an attempt. */
export type HeadersSource = Headers | ((context: HeadersContext) => Promise<Headers>);

/** The names that a header may have (RFC 9110, section 5.6.2). */
const TOKEN = /^[\w!#$%&'*+\-.^`|~]+$/;

/** The names of the headers that carry a token. */
const TOKEN_HEADER = /^auth(?:orization|entication)$/i;

/** The start of a value whose prefix was added to a token that already had it. */
const DOUBLED_PREFIX = /^\s*bearer\s+bearer(?:\s|$)/i;

/** A value that was made from something other than a token. */
const NO_TOKEN = /^\s*(?:bearer\s+)?(undefined|null|\[object \w+\])\s*$/i;

/** Reads the option `headers`. The result of a function is read by the same rules. */
export function readHeaders(value: unknown): HeadersSource {
  if (typeof value !== "function") {
    return copyOf(value, "headers", "an object, a list of pairs, a Headers, or a function that returns one of these");
  }
  return async (context) => {
    const init = await functionOfCaller(value as (context: HeadersContext) => unknown)(context);
    return copyOf(init, "the result of headers", "an object, a list of pairs or a Headers");
  };
}

/**
 * Copies a `HeadersInit`, and adds `accept`. The host's `Headers` cannot do this: its errors quote the invalid value,
 * which may be a token.
 *
 * @param name of the value in errors
 * @param expected what the value has to be
 */
function copyOf(init: unknown, name: string, expected: string): Headers {
  const headers = new Headers();
  for (const [index, entry] of pairsOf(init, name, expected).entries()) append(headers, entry, index + 1);
  if (!headers.has("accept")) headers.set("accept", "application/json");
  return headers;
}

/** Returns the pairs of a list or of another iterable, such as a `Headers` or a `Map`; otherwise the members of an object. */
function pairsOf(init: unknown, name: string, expected: string): [unknown, unknown][] {
  const isIterable = isObject(init) && (orUndefined(() => Symbol.iterator in init) ?? true);
  if (!isIterable) plainObject(init, name, expected);
  const entries = orUndefined(() =>
    isIterable ? [...(init as unknown as Iterable<unknown>)] : Object.entries(init as object),
  );
  if (entries?.length === 0 && !isIterable) entriesOf(init, name, expected);
  // What was thrown is not quoted: the error of an iterator may quote its result.
  if (entries === undefined) throw refusal("headers must be readable; reading them threw an error");
  return entries.map((entry, index) => {
    if (Array.isArray(entry) && entry.length === 2) return [entry[0], entry[1]];
    throw refusal(`headers must consist of pairs of a name and a value; entry ${index + 1} is not one`);
  });
}

function append(headers: Headers, [name, value]: [unknown, unknown], number: number): void {
  const text = typeof name === "string" ? name : "";
  // Not quoted: it may be a secret value in the wrong place.
  if (!TOKEN.test(text)) throw refusal(`headers must have valid names; the name of entry ${number} is not valid`);
  const content = headerText(value);
  if (content === undefined) throw refusal(`headers must have a string for "${text}"; got ${kindOf(value)}`);
  if (TOKEN_HEADER.test(text)) checkToken(text, content);
  try {
    headers.append(text, content);
  } catch {
    throw refusal(
      `headers must have no line break, NUL or character beyond U+00FF in a value; the value of "${text}" has one`,
    );
  }
}

/** The text of a header value; undefined for a value without one: the text of a function is its source, that of most objects says nothing. */
function headerText(value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === "function") return undefined;
  const text = orUndefined(() => `${value}`);
  return isObject(value) && text?.startsWith("[object ") ? undefined : text;
}

/** Describes a value that is no text, and what to do about it. */
function kindOf(value: unknown): string {
  if (typeof value === "function") return "a function: pass a function of all headers as the option headers";
  return typeOf(value);
}

/** Throws if no service accepts a value as a token. The message quotes no token. */
function checkToken(name: string, value: string): void {
  if (DOUBLED_PREFIX.test(value)) {
    throw refusal(
      `headers must have one "Bearer" in the value of "${name}"; it has two, because the service issues tokens with this prefix: pass the token as it was issued`,
    );
  }
  const [, content] = NO_TOKEN.exec(value) ?? [];
  if (content === undefined) return;
  const advice = content.startsWith("[") ? ": await a Promise, and pass a string" : "";
  throw refusal(`headers must have a token in the value of "${name}"; got ${content}${advice}`);
}
