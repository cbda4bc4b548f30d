// session.mjs: signs in to the service. Only your server runs it.
import process from "node:process";

export const baseUrl = process.env.FINDINGS_URL ?? "https://webservices.goascribe.com/cxi/";

/** The service has refused the account, the user name or the password. */
export class Refusal extends Error {}

/** @type {Refusal | undefined} */
let refusal;

/** Opens a session, and returns its two tokens. After a refusal, it sends nothing until the program starts again. */
export async function signIn() {
  // A password that is sent again and again locks the account.
  if (refusal) throw refusal;
  const { FINDINGS_ACCOUNT: account, FINDINGS_USER: userName, FINDINGS_PASSWORD: password } = process.env;
  const response = await fetch(new URL("Sessions", baseUrl), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ account, userName, password }),
  });
  const { authenticationToken, bearerToken, errors } = await response.json();
  if (!errors) return { authenticationToken, bearerToken };
  const message = `POST Sessions: status ${response.status}: ${errors}`;
  if (![200, 400, 401, 403].includes(response.status)) throw new Error(message);
  refusal = new Refusal(message);
  throw refusal;
}

/** @type {ReturnType<typeof signIn> | undefined} */
let shared;

/**
 * Returns one session for all requests of this server.
 * @param {ReturnType<typeof signIn>} [ended] a session whose tokens the service no longer accepts
 */
export function sharedSession(ended) {
  if (shared === undefined || shared === ended) {
    shared = signIn();
    shared.catch(() => {
      shared = undefined;
    });
  }
  return shared;
}
