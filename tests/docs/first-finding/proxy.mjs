// proxy.mjs: sends the page's requests to the service, with a token that stays on the server
import { baseUrl, Refusal, sharedSession } from "./session.mjs";

/**
 * @param {string} path such as `Findings/42`
 * @returns {Promise<Response>}
 */
export async function proxy(path) {
  // Check here that the user of your page may see this inspection.
  try {
    const session = sharedSession();
    const response = await get(path, session);
    // If the session has ended, the server signs in again, once for all requests, and repeats each request once.
    return response.status === 401 ? await get(path, sharedSession(session)) : response;
  } catch (error) {
    console.error(error);
    // The page's client retries a status 502. It does not retry a response with `errors` and status 200.
    if (error instanceof Refusal) return Response.json({ errors: ["This server cannot sign in to the service."] });
    return Response.json({ errors: ["The service cannot be reached."] }, { status: 502 });
  }
}

/**
 * @param {string} path
 * @param {ReturnType<typeof sharedSession>} session
 */
async function get(path, session) {
  const { bearerToken } = await session;
  return fetch(new URL(path, baseUrl), { headers: { Authorization: bearerToken } });
}
