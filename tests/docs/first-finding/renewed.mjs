// renewed.mjs: a client with a token that ends after 30 idle minutes
import { FindingsClient } from "inspection-findings";
import { baseUrl, sharedSession } from "./session.mjs";

/** @type {ReturnType<typeof sharedSession> | undefined} */
let session;

export const client = new FindingsClient({
  baseUrl,
  async headers({ status }) {
    session = sharedSession(status === 401 ? session : undefined);
    const { authenticationToken } = await session;
    return { authentication: authenticationToken };
  },
});
