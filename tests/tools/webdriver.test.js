/** A page that is driven by WebDriver: failures of the driver and the page reach the caller, and the driver always ends. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, beforeEach, test } from "node:test";
import { openDrivenPage } from "../../tools/webdriver.js";

/** The responses to commands, as those of a driver; scripts run in Node, where a browser would run them in its page. */
const sound = {
  "GET /status": () => null,
  "POST /session": () => ({ sessionId: "1", capabilities: { browserVersion: "2.50" } }),
  "POST /session/1/timeouts": () => null,
  "POST /session/1/execute/async": (/** @type {any} */ { script, args }) =>
    new Promise((resolve) => new Function(script)(...args, resolve)),
};

let ends = 0;
/** @type {Record<string, ((body: any) => unknown) | undefined>} */
let responses;

const driver = createServer(async (request, response) => {
  const body = await new Response(/** @type {any} */ (request)).text();
  const respond = responses[`${request.method} ${request.url}`];
  const value = respond
    ? await respond(body && JSON.parse(body))
    : { error: "unknown error", message: "it has crashed" };
  response.writeHead(respond ? 200 : 500).end(JSON.stringify({ value }));
}).listen(0, "127.0.0.1");
await once(driver, "listening");

beforeEach(() => {
  ends = 0;
  responses = { ...sound };
});

after(() => {
  driver.closeAllConnections();
  driver.close();
});

function openPage() {
  const { port } = /** @type {import("node:net").AddressInfo} */ (driver.address());
  const end = () => void ends++;
  return openDrivenPage({ url: `http://127.0.0.1:${port}`, capabilities: {}, end });
}

test("evaluate rejects with the message of what the function throws", async () => {
  const page = await openPage();
  const throwing = () => {
    throw new TypeError("no");
  };
  await assert.rejects(page.evaluate(throwing), /^Error: TypeError: no$/);
});

test("a refusal by the driver rejects with its words", async () => {
  const page = await openPage();
  await assert.rejects(page.goto("about:blank"), /^Error: WebDriver: unknown error: it has crashed$/);
});

test("a session that is refused ends the driver", async () => {
  delete responses["POST /session"];
  await assert.rejects(openPage(), /it has crashed/);
  assert.equal(ends, 1);
});

test("close ends the driver once, even where the session is already gone", async () => {
  const page = await openPage();
  await assert.rejects(page.close(), /it has crashed/);
  await assert.rejects(page.close(), /it has crashed/);
  assert.equal(ends, 1);
});
