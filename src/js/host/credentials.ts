// What is wrong with the credentials of a request that the service has refused.

/** The flaws, as `src/web/error.rs` reads them. */
const FLAWS = { none: 0, missing: 1, withoutPrefix: 2 } as const;

/** Returns the flaw of the credentials in some headers. Their values do not leave this function. */
export function flawOfCredentials(headers: Headers): number {
  const bearerToken = headers.get("authorization");
  if (bearerToken === null) return headers.has("authentication") ? FLAWS.none : FLAWS.missing;
  return /^\S*$/.test(bearerToken) ? FLAWS.withoutPrefix : FLAWS.none;
}
