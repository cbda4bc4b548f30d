import { FindingsClient } from "inspection-findings";

/** @type {Promise<string> | undefined} */
let token;

async function newToken() {
  const response = await fetch("/token");
  if (!response.ok) throw new Error(`/token: status ${response.status}`);
  return response.text();
}

const client = new FindingsClient({
  baseUrl: "http://localhost:8099/cxi/",
  async headers({ status }) {
    if (status === 401) token = undefined;
    token ??= newToken();
    return { authentication: await token };
  },
});
console.log((await client.getFindings(42, "sentiment")).length);
