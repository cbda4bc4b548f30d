// renewed.mjs: a client with a token that ends after 30 idle minutes
import { FindingsClient } from "inspection-findings";
import { baseUrl, signIn } from "./session.mjs";

/** @type {ReturnType<typeof signIn> | undefined} */
let session;

export const client = new FindingsClient({
  baseUrl,
  async headers({ status }) {
    if (status === 401) session = undefined;
    session ??= signIn().catch((error) => {
      session = undefined;
      throw error;
    });
    return { authentication: (await session).authenticationToken };
  },
});
