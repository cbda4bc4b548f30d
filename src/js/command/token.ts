// The token of the service, which programs read from their environment: a parameter would be visible to every user of the machine.

import { readFileSync } from "node:fs";
import process from "node:process";
import { textOf } from "./text-file.js";

/** The headers that can carry the token. */
export const TOKEN_HEADERS = ["authorization", "authentication"] as const;

export type TokenHeader = (typeof TOKEN_HEADERS)[number];

/** A token, and the name of the place that it was read from. */
interface Found {
  readonly text: string;
  readonly source: string;
}

/**
 * Returns the headers of an attempt. Each attempt reads the token again, because the file may have a renewed one.
 *
 * @param header `authorization` for a bearer token, with or without its prefix; `authentication` for the other token
 * @param secret the token, in place of the one in the environment
 */
export function tokenHeaders(header: TokenHeader, secret?: string): Record<string, string> {
  const { text, source } = find(secret);
  const token = withoutQuotes(text.trim());
  if (token === "") return {};
  if (!/^[\x20-\x7e]*$/.test(token)) {
    throw new Error(
      `${source} has a character that no token has, such as a line break. Save the token alone, as text.`,
    );
  }
  const [, twice, wrong] = /^(?:(bearer\s+bearer)\b|(?:bearer\s+)?(undefined|null)$)/i.exec(token) ?? [];
  if (twice !== undefined) throw new Error(`${source} begins with "${twice}": remove one of the two prefixes`);
  if (wrong !== undefined) throw new Error(`${source} is "${wrong}": it must be the token as the service issued it`);
  return { [header]: header === "authentication" || /^bearer\s/i.test(token) ? token : `Bearer ${token}` };
}

/**
 * Says which token the service has refused, how it was sent, and what else to try.
 *
 * @param option the name of what chooses the header
 */
export function tokenAdvice(header: TokenHeader, option: string, secret?: string): string {
  const { text, source } = find(secret);
  const [sent] = Object.values(tokenHeaders(header, secret));
  if (sent === undefined) {
    const isUnset = text === "" && source === "FINDINGS_TOKEN";
    return `No token was sent: ${isUnset ? "set FINDINGS_TOKEN or FINDINGS_TOKEN_FILE" : `${source} is empty`}.`;
  }
  const prefix = text.includes(sent) ? "" : ', behind "Bearer ", because it does not begin so';
  const other = header === "authorization" ? "authentication" : "authorization";
  return (
    `The token was read from ${source}, and sent as ${header}${prefix}. ` +
    `If it is ${other === "authorization" ? "a bearer" : "an authentication"} token, set ${option} to ${other}.`
  );
}

function find(secret: string | undefined): Found {
  if (secret !== undefined) return { text: secret, source: "the parameter token" };
  const { FINDINGS_TOKEN_FILE: file, FINDINGS_TOKEN: token = "" } = process.env;
  if (!file) return { text: token, source: "FINDINGS_TOKEN" };
  try {
    return { text: textOf(readFileSync(file)), source: "the file of FINDINGS_TOKEN_FILE" };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`the file of FINDINGS_TOKEN_FILE cannot be read on this machine: ${reason}`);
  }
}

/** A text without the quotes around it: some shells, and files of variables, make them part of the value. */
function withoutQuotes(text: string): string {
  return /^(["']).*\1$/s.test(text) ? text.slice(1, -1).trim() : text;
}
