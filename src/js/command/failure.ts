// The message of a failure: that of the package, in the words of the command, and what to do.

import { FindingsError } from "../entries/inline.js";
import { thrownText } from "../host/member.js";
import { type TokenHeader, tokenAdvice } from "./token.js";

/** What the messages of the package name and the command has by another name, or only a program has. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bbaseUrl\b/g, "--base-url (or FINDINGS_URL)"],
  [/; raise (?:timeout|it) if .*? (?:longer|large)(?=$|[.;])/g, ""],
  [/(longer than) the maxRetryAfter of (\d+ ms): raise it, or call again later/g, "$1 the command waits, $2"],
  [/convert them with readCounts|check readCounts/g, "write a program, whose option readCounts converts them"],
];

/**
 * Returns the message of a failure.
 *
 * @param canContinue whether the same command line, once more, continues where this one has ended
 */
export function messageOf(error: unknown, tokenHeader: TokenHeader, canContinue: boolean): string {
  if (!(error instanceof FindingsError)) return thrownText(error);
  const message = WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), error.message);
  if (error.status === 401) return `${message} ${tokenAdvice(tokenHeader, "--token-header")}`;
  if (error.status !== 429) return message;
  const wait = error.retryAfter === undefined ? "a few minutes" : `${Math.ceil(error.retryAfter / 1000)} s`;
  const again = canContinue ? "run the command again: it continues where it has ended" : "run the command again";
  return `${message} The service limits how many requests it accepts: wait ${wait}, then ${again}.`;
}
