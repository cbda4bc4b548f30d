// proxy.mjs: sends the page's requests to the service, with a token that stays on the server
import { baseUrl, signIn } from "./session.mjs";

/** @type {ReturnType<typeof signIn> | undefined} */
let session;

/**
 * @param {string} path such as `Findings/42`
 * @returns {Promise<Response>}
 */
export async function proxy(path) {
  // Check here that the user of your page may see this inspection.
  try {
    session ??= signIn();
    const { bearerToken } = await session;
    const response = await fetch(new URL(path, baseUrl), { headers: { Authorization: bearerToken } });
    if (response.status === 401) session = undefined; // The next request signs in again.
    return response;
  } catch (error) {
    session = undefined;
    console.error(error);
    return Response.json({ errors: ["The service cannot be reached."] }, { status: 502 });
  }
}
