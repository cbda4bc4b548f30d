// token.mjs: gives a page a token that ends after 30 idle minutes
import { signIn } from "./session.mjs";

/** @returns {Promise<Response>} */
export async function token() {
  // Check here that the user has signed in to your application.
  try {
    const { authenticationToken } = await signIn();
    return new Response(authenticationToken, { headers: { "cache-control": "no-store" } });
  } catch (error) {
    console.error(error);
    return new Response("The session could not be opened.", { status: 502 });
  }
}
