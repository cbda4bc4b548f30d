// What is wrong with the credentials of a request that the service has refused.

import type { CredentialsFlaw, NumbersOf } from "../engine/engine.js";

const FLAWS = {
  none: 0,
  missing: 1,
  withoutPrefix: 2,
  emptyAuthorization: 3,
  emptyAuthentication: 4,
  bearerInAuthentication: 5,
} as const satisfies NumbersOf<typeof CredentialsFlaw>;

/** A value without a token. */
const EMPTY = /^\s*(?:bearer)?\s*$/i;

/** Returns the flaw of the credentials in some headers. Their values do not leave this function. */
export function flawOfCredentials(headers: Headers): CredentialsFlaw {
  const [bearerToken, authenticationToken] = [headers.get("authorization"), headers.get("authentication")];
  if (bearerToken !== null) {
    if (EMPTY.test(bearerToken)) return FLAWS.emptyAuthorization;
    return /^\S*$/.test(bearerToken) ? FLAWS.withoutPrefix : FLAWS.none;
  }
  if (authenticationToken === null) return FLAWS.missing;
  if (EMPTY.test(authenticationToken)) return FLAWS.emptyAuthentication;
  return /^bearer\s/i.test(authenticationToken) ? FLAWS.bearerInAuthentication : FLAWS.none;
}
