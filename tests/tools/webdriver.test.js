/** A page that is driven by WebDriver: failures of the driver and the page reach the caller, and the driver always ends. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, beforeEach, test } from "node:test";
import { openDrivenPage } from "../../tools/webdriver.js";

/** @type {import("node:http").Server} */
let driver;
/** @type {(command: string, body: any) => { status?: number, value: unknown }} */
let respond;
let ends = 0;

beforeEach(async () => {
  ends = 0;
  respond = respondAsADriver;
  driver = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) {
      text += part;
    }
    const { status = 200, value } = respond(
      `${request.method} ${request.url}`,
      text === "" ? undefined : JSON.parse(text),
    );
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ value: await value }));
  }).listen(0, "127.0.0.1");
  await once(driver, "listening");
});

afterEach(async () => {
  driver.closeAllConnections();
  driver.close();
  await once(driver, "close");
});

/**
 * Runs scripts in Node, where a browser would run them in its page.
 * @param {string} command
 * @param {any} body
 */
function respondAsADriver(command, body) {
  if (command === "POST /session") {
    return { value: { sessionId: "1", capabilities: { browserVersion: "2.50" } } };
  }
  if (command === "POST /session/1/execute/async") {
    const run = new Function(body.script);
    return { value: new Promise((resolve) => run(...body.args, resolve)) };
  }
  return { value: null };
}

function openPage() {
  const { port } = /** @type {import("node:net").AddressInfo} */ (driver.address());
  const end = () => {
    ends += 1;
  };
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
  respond = () => ({ status: 500, value: { error: "unknown error", message: "the page has crashed" } });
  await assert.rejects(page.goto("about:blank"), /^Error: WebDriver: unknown error: the page has crashed$/);
});

test("a session that is refused ends the driver", async () => {
  respond = (command, body) =>
    command === "POST /session"
      ? { status: 500, value: { error: "session not created", message: "no browser" } }
      : respondAsADriver(command, body);
  await assert.rejects(openPage(), /session not created: no browser/);
  assert.equal(ends, 1);
});

test("close ends the driver once, even where the session is already gone", async () => {
  const page = await openPage();
  respond = () => ({ status: 404, value: { error: "invalid session id", message: "" } });
  await assert.rejects(page.close(), /invalid session id/);
  await assert.rejects(page.close(), /invalid session id/);
  assert.equal(ends, 1);
});
