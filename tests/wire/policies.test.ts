/** The directive `connect-src`, of the page or of the worker's script alone: calls have the same outcomes with a worker as without one. */

import { expect, test } from "vitest";
import { testWith } from "../page/engine.js";
import { rejectionOf } from "../page/outcome.js";
import { watchDecoding } from "../page/own-worker.js";
import { addresses, type RealmWindow } from "../page/realm.js";
import { allFindings } from "./inspection.ts";
import { serve, servePartition } from "./service.ts";

/** The script of a worker that may send no requests. */
const forbidding = `/package/worker.js?policy=${encodeURIComponent("connect-src 'none'")}`;

/** Where a page has its policy. */
type Place = "meta" | "policy" | undefined;

/** A text in place of the option `worker` is the URL of the script. */
const policies: [name: string, page: Place, worker: boolean | string, sender: "worker" | "page"][] = [
  ["no policy", undefined, true, "worker"],
  ["no policy, without a worker", undefined, false, "page"],
  ["a policy in the page's head", "meta", true, "worker"],
  ["a policy in the page's head, without a worker", "meta", false, "page"],
  ["a policy in the page's header", "policy", true, "worker"],
  ["a policy in the page's header, without a worker", "policy", false, "page"],
  ["a policy of the worker's script alone", undefined, forbidding, "page"],
];

/** Opens a page with a policy in its head or its header. */
async function openPage(place: Place, policy: string) {
  const frame = document.createElement("iframe");
  frame.src = `/package/page.html${place === undefined ? "" : `?${place}=${encodeURIComponent(policy)}`}`;
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  document.body.append(frame);
  await loaded;
  return { frame, window: frame.contentWindow as RealmWindow };
}

// P38
test.for(policies)("under %s, findings, errors, attempts and requests are the same", async (policy) => {
  const [, place, worker, sender] = policy;
  const service = await serve({ rules: [{ index: 2, times: 1, manner: { status: 503 } }] });
  const refusing = await servePartition({ status: 400, body: '{"errors":["There is no inspection 1."]}' });
  const origins = [service, refusing].map(({ baseUrl }) => new URL(baseUrl).origin);
  const { frame, window } = await openPage(place, `connect-src 'self' ${origins.join(" ")}`);
  const ofPage = typeof worker === "boolean";
  const { FindingsClient, init } = await window.load(ofPage ? addresses.entry : addresses.manual);
  if (!ofPage) await init({ worker });
  const client = new FindingsClient({ baseUrl: service.baseUrl, worker: worker !== false });
  const inWorkers = watchDecoding(window);
  await client.preload();
  expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
  expect(inWorkers()).toBe(worker === false ? 0 : 4);
  expect(await service.requestsPerPartition()).toEqual([1, 1, 2, 1]);
  const resources = [...new Set(window.performance.getEntriesByType("resource").map(({ name }) => name))];
  expect(resources.filter((name) => name.startsWith(service.baseUrl) && name.includes("Topics"))).toHaveLength(
    // A request of the page that a policy forbids is none of its resources.
    sender === "page" ? 4 : 0,
  );
  const failure = await rejectionOf(client.getPartition(1, "topics", 2, { baseUrl: refusing.baseUrl }));
  expect(failure).toMatchObject({
    code: "http",
    status: 400,
    attempts: 1,
    messages: ["There is no inspection 1."],
  });
  expect(failure.message).toBe(
    `topics partition 2 of inspection 1 (${refusing.baseUrl}Findings/1/Topics/2): the service responded with HTTP status 400: ` +
      '"There is no inspection 1."',
  );
  expect(await refusing.requestsPerPartition()).toEqual([undefined, undefined, 1]);
  client.free();
  frame.remove();
});

testWith("local network access")("a page that its user does not allow to access this device is told so", async () => {
  const service = await serve();
  const { frame, window } = await openPage("policy", "treat-as-public-address");
  const { getPartition } = await window.load(`${location.origin}/package/index.js`);
  const failure = await rejectionOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl, retries: 0 }));
  expect(failure).toMatchObject({ code: "network", attempts: 1, cause: { name: "TypeError" } });
  expect(failure.message).toMatch(/or the user does not allow the page to access the local network or this device\.$/);
  expect(await service.requestsPerPartition()).toEqual([]);
  frame.remove();
});
