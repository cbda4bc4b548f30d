// The message of a failure: that of the package, and what to do.

import { thrownText } from "../core/host/member.js";
import { FindingsError } from "../entries/inline.js";
import { type TokenHeader, tokenAdvice } from "./token.js";

/**
 * Returns the message of a failure.
 *
 * @param canContinue whether the same command line, once more, continues where this one has ended
 */
export function messageOf(error: unknown, tokenHeader: TokenHeader, canContinue: boolean): string {
  if (!(error instanceof FindingsError)) return thrownText(error);
  const message = error.requestId === undefined ? error.message : `${error.message} (request id ${error.requestId})`;
  if (error.status === 401) return `${message} ${tokenAdvice(tokenHeader, "--token-header")}`;
  if (error.status !== 429) return message;
  const wait = error.retryAfter === undefined ? "a few minutes" : `${Math.ceil(error.retryAfter / 1000)} s`;
  const again = canContinue ? "run the command again: it continues where it has ended" : "run the command again";
  return `${message} The service limits how many requests it accepts: wait ${wait}, then ${again}.`;
}
