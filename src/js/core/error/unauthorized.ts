// Whether the service has refused a call because of its credentials.

import { hasMembers, memberOf } from "../host/member.js";

/**
 * Returns the error with which the service has refused a call to its user, by status 401 or 403: the error of the call, or the
 * first of its failed partitions; undefined for another error.
 */
export function unauthorizedIn(error: unknown): unknown {
  if (!hasMembers(error)) return undefined;
  const code = memberOf(error, "code");
  if (code === "unauthorized") return error;
  const failures: unknown = code === "partial" ? memberOf(error, "failures") : undefined;
  if (!Array.isArray(failures)) return undefined;
  return failures.map((failure) => unauthorizedIn(failure?.error)).find((refusal) => refusal !== undefined);
}
