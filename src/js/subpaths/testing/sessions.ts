// The sessions of the service: the tokens that it issues and accepts.

import type { SessionCredentials } from "./fake-service.js";
import { Random } from "./random.js";

/** The milliseconds without a request after which an authentication token ends. */
const maxIdle = 30 * 60_000;

/** The header of a JSON Web Token, signed with RS256. */
const tokenHeader = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9";

/** The names of the credentials. */
export const credentialNames = ["account", "userName", "password"] as const;

/** The response to `POST Sessions`. */
export interface SessionResponse {
  readonly status: 200 | 400 | 401;
  readonly value: object;
}

export class Sessions {
  readonly #seed: number;
  /** The only accepted credentials; undefined if all are. */
  readonly #credentials: SessionCredentials | undefined;
  #count = 0;
  /** When each authentication token was last used. */
  readonly #lastUses = new Map<string, number>();
  /** The bearer tokens, without their prefix. */
  readonly #bearerTokens = new Set<string>();

  constructor(seed: number, credentials: SessionCredentials | undefined) {
    this.#seed = seed;
    this.#credentials = credentials;
  }

  /** Opens a session for the credentials in the body of a request. */
  open(body: string): SessionResponse {
    const credentials = parsed(body);
    if (credentials === undefined) return refused(400, "The body is not JSON.");
    const missing = credentialNames.find((name) => typeof credentials[name] !== "string" || credentials[name] === "");
    if (missing !== undefined) return refused(400, `${missing} is missing.`);
    const accepted = this.#credentials;
    if (accepted !== undefined && credentialNames.some((name) => credentials[name] !== accepted[name])) {
      return refused(401, "The account, user name or password is wrong.");
    }
    this.#count += 1;
    const random = new Random(this.#seed, "session", this.#count);
    const authenticationToken = uuidOf(random);
    const payload = base64url(JSON.stringify({ sub: `session-${this.#count}` }));
    const bearerToken = `${tokenHeader}.${payload}.${signatureOf(random)}`;
    this.#lastUses.set(authenticationToken, Date.now());
    this.#bearerTokens.add(bearerToken);
    return { status: 200, value: { authenticationToken, bearerToken: `bearer ${bearerToken}`, errors: null } };
  }

  /** Returns why a request with these headers is refused; undefined if it has a valid token, which is then in use. */
  refusalOf(headers: Headers): string | undefined {
    const authentication = headers.get("authentication");
    const bearerToken = headers.get("authorization")?.replace(/^bearer /i, "");
    if (authentication === null && bearerToken === undefined) {
      return "Send the header authentication or Authorization with a token of POST Sessions.";
    }
    const isValid = authentication === null ? this.#bearerTokens.has(String(bearerToken)) : this.#use(authentication);
    return isValid ? undefined : "The token is unknown or has expired.";
  }

  /** Ends all sessions. */
  end(): void {
    this.#lastUses.clear();
    this.#bearerTokens.clear();
  }

  #use(authenticationToken: string): boolean {
    const now = Date.now();
    const lastUse = this.#lastUses.get(authenticationToken) ?? Number.NEGATIVE_INFINITY;
    if (now - lastUse > maxIdle) return false;
    this.#lastUses.set(authenticationToken, now);
    return true;
  }
}

function refused(status: SessionResponse["status"], message: string): SessionResponse {
  return { status, value: { errors: [message] } };
}

/** Reads the members of a JSON text; undefined if it is not JSON. */
function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Makes a UUID of version 4. */
function uuidOf(random: Random): string {
  return "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".replaceAll(/[xy]/g, (digit) =>
    random.integer(digit === "x" ? 0 : 8, digit === "x" ? 15 : 11).toString(16),
  );
}

/** Makes 43 characters, as base64url writes 32 bytes. */
function signatureOf(random: Random): string {
  const digits = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];
  return [...Array(43)].map(() => random.oneOf(digits)).join("");
}

/** Encodes a text of ASCII characters. */
function base64url(text: string): string {
  return btoa(text).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
}
