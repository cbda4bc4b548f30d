/** The stack of an error: it begins where the caller called. */

import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { expect, test } from "vitest";
import { json } from "../fake-backend/index.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { serve } from "./service.js";

const options = { fetch: async () => new Response(null, { status: 410 }) };

/** @type {Record<string, (client: FindingsClient) => Promise<unknown>>} */
const calls = {
  "the function getPartitionCounts": () => getPartitionCounts(1, options),
  "the function getPartition": () => getPartition(1, "topics", 0, options),
  "the function getFindings": () => getFindings(1, "topics", options),
  getPartitionCounts: (client) => client.getPartitionCounts(1),
  getPartition: (client) => client.getPartition(1, "topics", 0),
  getFindings: (client) => client.getFindings(1, "topics"),
  loadTable: (client) => client.loadTable(1, "topics"),
  loadPartition: (client) => client.loadPartition(1, "topics", 0),
  streamPartitions: (client) => client.streamPartitions(1, "topics").next(),
  streamTables: (client) => client.streamTables(1, "topics").next(),
};

test.for(Object.entries(calls))("of %s", async ([, call]) => {
  const client = new FindingsClient(options);
  function callerOfThePackage() {
    return call(client);
  }
  const { stack, message } = await failureOf(callerOfThePackage());
  const [first, second, third] = String(stack).split("\n");
  expect(first).toBe(`FindingsError: ${message}`);
  // The call itself, then the function around it.
  expect(second).toContain("call-stack.test.js");
  expect(third).toContain("callerOfThePackage");
  client.free();
});

test("of resume()", async () => {
  serve({ answer: ({ index }) => (index === 1 ? json({}, { status: 410 }) : undefined) });
  const failure = await failureOf(getFindings(1, "topics", { failurePolicy: "collect" }));
  async function callerOfResume() {
    if (failure.code === "partial") await failure.resume();
  }
  const [, first] = String((await failureOf(callerOfResume())).stack).split("\n");
  expect(first).toContain("callerOfResume");
});

/** @type {Record<string, (client: any) => Promise<unknown>>} */
const wrong = {
  "a key": (client) => client.getFindings("1", "topics"),
  "a kind": (client) => client.loadTable(1, "topic"),
  "an index": (client) => client.getPartition(1, "topics", -1),
  "an option": (client) => client.getPartitionCounts(1, { retries: "3" }),
  "an unknown option": (client) => client.getPartitionCounts(1, { retry: 3 }),
  "an argument of a stream": (client) => client.streamPartitions("1", "topics").next(),
  "an option of a function": () => getFindings(1, "topics", { baseUrl: "ftp://service.test" }),
};

test.for(Object.entries(wrong))("of the error of %s that is wrong", async ([, call]) => {
  const client = new FindingsClient(options);
  function callerOfThePackage() {
    return call(client);
  }
  const { name, message, stack } = await rejectionOf(callerOfThePackage());
  expect(name).toMatch(/^(Type|Range)Error$/);
  const [first, second, third] = stack.split("\n");
  expect(first).toBe(`${name}: ${message}`);
  expect(second).toContain("call-stack.test.js");
  expect(third).toContain("callerOfThePackage");
  client.free();
});

test("of an error that a getter of the caller's throws stays as it is", async () => {
  const thrown = new TypeError("mine");
  const { stack } = thrown;
  const headers = {
    get authorization() {
      throw thrown;
    },
  };
  expect(await rejectionOf(getFindings(1, "topics", /** @type {any} */ ({ ...options, headers })))).toBe(thrown);
  expect(thrown.stack).toBe(stack);
});

test("of an error of the caller's own stays as it is", async () => {
  const thrown = new Error("mine");
  const { stack } = thrown;
  const onProgress = () => {
    throw thrown;
  };
  serve();
  expect(await rejectionOf(getFindings(1, "topics", { onProgress }))).toBe(thrown);
  expect(thrown.stack).toBe(stack);
});

test("is neither enumerable nor lost where the host captures none", async () => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const failure = await failureOf(getFindings(1, "topics", options));
    expect(failure.stack).toBe(`FindingsError: ${failure.message}`);
    expect(Object.keys(failure)).not.toContain("stack");
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
});
