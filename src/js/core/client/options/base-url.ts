// The base URL of the service: the caller's, or the page's own.

import { described, refusal, typeOf, wrongType } from "../../argument/refusal.js";
import { isObject } from "../../host/member.js";
import { hasPage, pageUrl } from "../../host/page.js";

/** The maximum number of characters of a base URL. The module keeps several copies of it, and of each URL below it. */
const MAX_CHARACTERS = 8192;

/** Reads the option `baseUrl`. A relative URL is resolved against the page. */
export function readBaseUrl(value: unknown, name: string): string {
  const text = isObject(value) ? value.href : value;
  if (typeof text !== "string") throw wrongType(name, "a string or a URL", value);
  const url = parsed(text);
  // Not quoted: a URL with one of these characters may contain a secret.
  const got = /[@?#]/.test(text) ? typeOf(text) : described(text);
  if (url === undefined) {
    const expected = hasPage()
      ? "a valid URL"
      : "a valid absolute URL, because there is no page that it could be relative to";
    throw refusal(`${name} must be ${expected}; got ${got}`);
  }
  if (!isHttp(url)) throw refusal(`${name} must be an http or https URL; got ${got}`);
  if (url.username + url.password !== "") throw refusal(`${name} must not have credentials: pass them as headers`);
  if (url.search !== "") throw refusal(`${name} must not have a query string`);
  if (url.hash !== "") throw refusal(`${name} must not have a fragment`);
  const href = directory(url);
  if (href.length > MAX_CHARACTERS) throw refusal(`${name} must have at most ${MAX_CHARACTERS} characters; got ${got}`);
  return href;
}

/** Returns the page's own base URL. */
export function pageBaseUrl(): string {
  const url = parsed(".");
  if (url !== undefined && isHttp(url)) return directory(url);
  throw refusal("baseUrl is required, because there is no page whose URL could be used");
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text, pageUrl());
  } catch {
    return undefined;
  }
}

function isHttp({ protocol }: URL): boolean {
  return protocol === "http:" || protocol === "https:";
}

/** Returns the URL with a slash at its end. */
function directory({ origin, pathname }: URL): string {
  return `${origin}${pathname}${pathname.endsWith("/") ? "" : "/"}`;
}
