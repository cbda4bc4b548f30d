/** The recipes of the documentation that run in Node: another service, a server with many users, and servers that stream findings or send CORS headers. */

import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { FindingsClient } from "inspection-findings";
import { programPath } from "../../tools/programs.js";
import { isQuick } from "../tier.js";
import { freePort, serve, serveFake } from "../wire/service/http-server.js";
import { blocksIn, saveFiles } from "./documents.js";

const { fake, requests, close } = await serveFake({ topics: { findings: 900, partitions: 30 } });
Object.assign(process.env, { FINDINGS_URL: fake.baseUrl, FINDINGS_TOKEN: "bearer secret" });
after(close);

const saved = (/** @type {string} */ page, /** @type {string} */ name) => import(join(saveFiles(page), name));
const { client } = await saved("www/docs/requests.md", "other-service.js");
const next = await saved("www/docs/node.md", "next-route.js");

test("a fetch function and readCounts translate another service", async ({ mock }) => {
  const items = Array.from({ length: 5 }, (_, index) => ({ text: `Comment ${index}`, subject: `Topic ${index % 2}` }));
  const bodies = /** @type {Record<string, object>} */ ({
    "https://reviews.example/reviews/42": { pages: 2, total: 5 },
    "https://reviews.example/reviews/42?page=0": { items: items.slice(0, 3) },
    "https://reviews.example/reviews/42?page=1": { items: items.slice(3) },
  });
  mock.method(globalThis, "fetch", async (/** @type {string} */ url) =>
    url in bodies ? Response.json(bodies[url]) : new Response(null, { status: 404 }),
  );
  assert.deepEqual(
    (await client.loadTable(42, "topics")).toArray(),
    items.map(({ text, subject }) => ({ Comment: text, Topic: { Text: subject } })),
  );
  await assert.rejects(client.getFindings(43, "topics"), { code: "http", status: 404 });
});

/** What the handler responds. @param {RequestInit} [init] */
const respond = (init = {}) => {
  requests.length = 0;
  return next.GET(new Request("http://page.test/findings/42", init), { params: Promise.resolve({ key: "42" }) });
};

test("the handler for Next streams every finding as a line of JSON, with the server's token", async () => {
  const response = await respond();
  assert.equal(response.headers.get("content-type"), "application/x-ndjson");
  // Otherwise nginx would hold it back until it is complete.
  assert.equal(response.headers.get("x-accel-buffering"), "no");
  const lines = fake.findings("topics").map((finding) => `${JSON.stringify(finding)}\n`);
  assert.equal(await response.text(), lines.join(""));
  const tokens = requests.map(({ headers }) => headers.authorization);
  assert.deepEqual([tokens.length, ...new Set(tokens)], [31, "bearer secret"]);
});

test("the handler for Next says before the first line that the findings cannot be had", async () => {
  fake.use("unknown-inspection");
  const response = await respond();
  fake.reset();
  assert.equal(response.status, 502);
  assert.deepEqual(await response.json(), { errors: ["The findings of this inspection cannot be found."] });
});

test("the handler for Next fetches no more for a reader that has left", async () => {
  const controller = new AbortController();
  const { body } = await respond({ signal: controller.signal });
  const reader = /** @type {ReadableStream<Uint8Array>} */ (body).getReader();
  await reader.read();
  controller.abort();
  await reader.read().then(
    () => reader.cancel(),
    () => {},
  );
  const { length } = requests;
  const readAll = async () => (await respond()).text();
  // What had been sent by then arrives while another reader gets all, and nothing more while a third one does.
  await readAll();
  const late = requests.length - 31;
  await readAll();
  assert.equal(requests.length, 31);
  assert.ok(length + late < 31, `${length} and ${late} requests`);
});

test("the requests of each user have the user's token, although the calls wait for each other", async ({ mock }) => {
  const { client, tokens } = await saved("www/docs/requests.md", "users.js");
  /** @type {Map<string, Set<string>>} the tokens that were sent for each inspection */
  const sent = new Map();
  mock.method(globalThis, "fetch", async (/** @type {string} */ url, /** @type {RequestInit} */ init) => {
    const [, key = "", partition] = url.match(/Findings\/(\d+)(\/)?/) ?? [];
    sent.set(key, (sent.get(key) ?? new Set()).add(new Headers(init.headers).get("authorization") ?? ""));
    await pause(1);
    return Response.json(partition ? { Findings: [{}] } : { TopicPartitions: 9, TopicFindings: 9 });
  });
  const users = ["1", "2", "3"];
  await Promise.all(users.map((key) => tokens.run(`bearer ${key}`, () => client.getFindings(key, "topics"))));
  assert.deepEqual(
    [...sent].map(([key, all]) => [key, ...all]),
    users.map((key) => [key, `bearer ${key}`]),
  );
});

test("all calls of a user, also those for one inspection, share one renewal, whenever the service refuses the old token", async ({
  mock,
}) => {
  const { tokenHeaders } = await saved("www/docs/requests.md", "token-headers.js");
  let later = 0;
  const now = performance.now.bind(performance);
  mock.method(performance, "now", () => now() + later);
  const sessions = new AsyncLocalStorage();
  // A sign-in ends the previous token of one of the users.
  const users = [false, true].map((isOnly) => {
    const user = { signIns: 0, firstValid: 1, headers: tokenHeaders(signIn) };
    async function signIn() {
      await pause(2);
      user.signIns++;
      if (isOnly) user.firstValid = user.signIns;
      return `${user.signIns}`;
    }
    return user;
  });
  let requests = 0;
  const client = new FindingsClient({
    ...{ baseUrl: "https://service.example/cxi/", concurrency: 20 },
    headers: (context) => sessions.getStore().headers(context),
    fetch: async (url, init) => {
      await pause((7 * requests++) % 20);
      const token = Number(new Headers(init.headers).get("authorization"));
      if (token < sessions.getStore().firstValid) return new Response(null, { status: 401 });
      return Response.json(url.includes("Topics") ? { Findings: [{}] } : { TopicPartitions: 4, TopicFindings: 4 });
    },
  });
  const call = (/** @type {object} */ user, /** @type {number} */ key) =>
    sessions.run(user, () => client.getFindings(key, "topics"));
  for (let expiry = 1; expiry <= 5; expiry++) {
    await Promise.all(users.flatMap((user) => [1, 2, 3, 3, 3].map((key) => call(user, key))));
    for (const user of users) assert.equal(user.signIns, expiry);
    later += 60_000;
    for (const user of users) user.firstValid = expiry + 1;
  }
});

test("a sign-in that fails, even before it returns a promise, is tried again by the next attempt", async () => {
  const { tokenHeaders } = await saved("www/docs/requests.md", "token-headers.js");
  let signIns = 0;
  const headers = tokenHeaders(() => {
    if (++signIns === 1) throw new Error("refused");
    return Promise.resolve("second");
  });
  const context = { attempt: 1, url: "https://service.example/cxi/Findings/1" };
  await assert.rejects(headers(context), /refused/);
  assert.deepEqual(await headers(context), { Authorization: "second" });
});

/** The headers of each response and of a response to a preflight, and a block for a server that sends them. */
const [ofEach, ofOptions, nginx] = blocksIn("www/docs/requests.md").flatMap(({ language, code }) =>
  language === "text" ? [code] : [],
);

// It needs nginx.
test("the block for nginx sends the listed headers, with an error, too", { skip: isQuick }, async (t) => {
  const service = await serve(() => Response.json({ errors: ["It failed."] }, { status: 500 }));
  const folder = mkdtempSync(join(tmpdir(), "nginx-"));
  const port = await freePort();
  const upstream = `upstream service { server ${new URL(service.origin).host}; }`;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path temp;`);
  const server = `server { listen 127.0.0.1:${port}; ${nginx} }`;
  const http = `http { access_log off; ${temporary.join(" ")} ${upstream} ${server} }`;
  writeFileSync(join(folder, "nginx.conf"), `daemon off; pid nginx.pid; error_log stderr; events {} ${http}`);
  const parameters = ["-p", folder, "-c", "nginx.conf", "-e", "stderr"];
  const child = spawn(programPath("nginx", ["nginx"]), parameters, { stdio: "inherit" });
  t.after(async () => {
    child.kill();
    await once(child, "exit");
    await service.close();
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}/cxi/Findings/42`;
  while (child.exitCode === null && !(await fetch(url).catch(() => undefined))) await pause(20);
  await sendsListed(url);
});

/**
 * Expects the listed headers of an error and of a preflight. `tests/wire/origins.test.ts` proves that a page needs them.
 * @param {string} url
 */
async function sendsListed(url) {
  const expected = /** @type {const} */ ([
    ["GET", 500, ofEach],
    ["OPTIONS", 204, ofOptions],
  ]);
  for (const [method, status, listed] of expected) {
    const response = await fetch(url, { method });
    assert.equal(response.status, status);
    const names = listed.match(/^.*?(?=: )/gm) ?? [];
    assert.equal(names.map((name) => `${name}: ${response.headers.get(name)}\n`).join(""), listed);
  }
}
