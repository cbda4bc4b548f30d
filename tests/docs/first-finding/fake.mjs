// fake.mjs: a service with invented findings, to try everything before you have an account
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { createFakeService } from "inspection-findings/testing";
import { baseUrl } from "./session.mjs";

const service = createFakeService({ baseUrl, sessions: true, seed: 26 });

createServer(async (incoming, outgoing) => {
  const { method = "GET", url = "/", headers } = incoming;
  const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "authentication, authorization" };
  if (method === "OPTIONS") return outgoing.writeHead(204, cors).end();
  const response = await service.fetch(new URL(url, baseUrl), {
    method,
    headers: /** @type {Record<string, string>} */ (headers),
    body: method === "POST" ? await text(incoming) : undefined,
  });
  outgoing.writeHead(response.status, { ...cors, "content-type": "application/json" }).end(await response.text());
}).listen(new URL(baseUrl).port, () => console.log(`The fake service is at ${baseUrl}`));
