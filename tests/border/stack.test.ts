/** The end of the stack: a caller whose recursion is too deep loses no call. */

import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { dist } from "../../tools/repository.js";

/** The code of a thread: frees what runs a call, so many calls before the end of the stack, and again. Returns the distances at which the call goes on. */
async function freedNearEnd(load: () => Promise<any>, what: "client" | "live table") {
  // The host's own functions, such as those of promises, fail there in their own ways.
  process.on("unhandledRejection", () => {});
  const { FindingsClient } = await load();
  const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const going: number[] = [];
  for (let distance = 0; distance < 60; distance++) {
    const client = new FindingsClient({ baseUrl: "https://service.example/", fetch: () => new Promise(() => {}) });
    await client.preload();
    const live = what === "live table" ? client.watchTable(1, "topics") : undefined;
    let isOver = false;
    const end = () => {
      isOver = live?.getSnapshot().state !== "loading";
    };
    (live?.done ?? client.getFindings(1, "topics")).then(end, end);
    await wait(3);
    let left = distance;
    const descend = () => {
      try {
        descend();
      } catch {}
      try {
        if (left-- === 0) (live ?? client).free();
      } catch {}
    };
    descend();
    (live ?? client).free();
    for (let turns = 0; turns < 20 && !isOver; turns++) await wait(1);
    if (!isOver) going.push(distance);
  }
  return going;
}

test.for(["client", "live table"] as const)(
  "the calls of a %s that is freed near the end of the stack, and again, end",
  async (what) => {
    const code = `(${freedNearEnd})(() => import("${dist}/inline.js"), "${what}").then((going) => require("node:worker_threads").parentPort.postMessage(going))`;
    const thread = new Worker(code, { eval: true, stderr: true });
    expect(await new Promise((resolve) => thread.once("message", resolve))).toEqual([]);
    await thread.terminate();
  },
);
