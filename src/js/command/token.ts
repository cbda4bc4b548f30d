// The token of the service, which programs read from their environment: a parameter would be visible to every user of the machine.

import { readFileSync } from "node:fs";
import process from "node:process";

/** The headers that can carry the token. */
export const TOKEN_HEADERS = ["authorization", "authentication"] as const;

export type TokenHeader = (typeof TOKEN_HEADERS)[number];

/**
 * Returns the headers of an attempt. Each attempt reads the token again, because the file may have a renewed one.
 *
 * @param header `authorization` for a bearer token, with or without its prefix; `authentication` for the other token
 * @param secret the token, in place of the one in the environment
 */
export function tokenHeaders(header: TokenHeader, secret?: string): Record<string, string> {
  const token = (secret ?? readToken())?.trim();
  if (!token) return {};
  return { [header]: header === "authentication" || /^bearer\s/i.test(token) ? token : `Bearer ${token}` };
}

function readToken(): string | undefined {
  const { FINDINGS_TOKEN_FILE: file, FINDINGS_TOKEN: token } = process.env;
  try {
    return file ? readFileSync(file, "utf8") : token;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`the file of FINDINGS_TOKEN_FILE cannot be read on this machine: ${reason}`);
  }
}
