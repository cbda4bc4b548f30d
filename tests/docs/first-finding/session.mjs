// session.mjs: signs in to the service. Only your server runs it.
import process from "node:process";

export const baseUrl = process.env.FINDINGS_URL ?? "https://webservices.goascribe.com/cxi/";

/** Opens a session, and returns its two tokens. */
export async function signIn() {
  const { FINDINGS_ACCOUNT: account, FINDINGS_USER: userName, FINDINGS_PASSWORD: password } = process.env;
  const response = await fetch(new URL("Sessions", baseUrl), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ account, userName, password }),
  });
  const { authenticationToken, bearerToken, errors } = await response.json();
  if (errors) throw new Error(`POST Sessions: status ${response.status}: ${errors}`);
  return { authenticationToken, bearerToken };
}
