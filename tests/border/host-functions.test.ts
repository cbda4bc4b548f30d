/** The functions that Rust calls in JavaScript: nothing that a page does makes one of them throw, which would stop the module. Methods may throw. */

import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { build, type Plugin } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { full } from "../../tools/module.ts";
import { inRepository } from "../../tools/repository.js";

const source = inRepository("src", "js");

/** Finds the glue, and the files that it imports. */
const glue: Plugin = {
  name: "glue",
  setup({ onResolve }) {
    onResolve({ filter: /\/instance_glue\.js$/ }, () => ({ path: join(full.folder, "instance_glue.js") }));
    onResolve({ filter: /^\.\// }, ({ importer, path }) =>
      importer.startsWith(full.folder) ? { path: join(source, path.replace(/js$/, "ts")) } : undefined,
    );
  },
};

/** The functions as one script. */
let script = "";

beforeAll(async () => {
  const contents = 'export * from "./host-functions.js";';
  const stdin = { contents, resolveDir: join(source, "engine"), loader: "ts" } as const;
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    globalName: "host",
    write: false,
    logLevel: "error",
    plugins: [glue],
  });
  script = outputFiles[0]?.text ?? "";
});

/** What a page may have done to its globals: the last of these before the package is loaded. */
type Change = "cannot be read" | "throw when they are called" | "are frozen";

/**
 * The code of a thread: calls each function with all kinds of parameters after it has changed the globals, of which it then uses none. Returns the names of
 * the functions, and of those that have thrown.
 */
function callAll(load: () => any, change: Change) {
  const { defineProperty } = Object;
  const { then } = Promise.prototype;
  const call = Function.prototype.call.bind(Function.prototype.call);
  const ErrorOfPage = Error;
  const throwing = () => {
    throw new ErrorOfPage("touched");
  };
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  const traps = Object.getOwnPropertyNames(Reflect).map((name) => [name, throwing]);
  const untouchable = new Proxy(() => {}, Object.fromEntries(traps));
  const values: any[] = [
    ...[undefined, null, 7, -1, Number.NaN, "text", "", true, Symbol("odd"), 8n, {}, [], () => {}, throwing, revoked],
    ...[untouchable, new Uint8Array(4), new ArrayBuffer(4), new Blob(["x"]), new Headers({ a: "b" }), globalThis],
    ...[Promise.resolve(7), new Proxy({}, { get: throwing }), new Response("{}"), new Error("odd")],
  ];
  const names = Object.getOwnPropertyNames(globalThis);
  const makeChange = () => {
    const global: any = globalThis;
    for (const name of names) {
      try {
        if (change === "cannot be read") defineProperty(global, name, { get: throwing });
        else if (change === "throw when they are called") defineProperty(global, name, { value: throwing });
        else for (const one of [global[name].prototype, global[name]]) Object.freeze(one);
      } catch {
        // It is not configurable, or no object.
      }
    }
  };
  if (change === "are frozen") makeChange();
  const host = load();
  const functions = Object.keys(host);
  if (change !== "are frozen") makeChange();
  const thrown: string[] = [];
  // The results of the first round, such as requests and timers, are arguments of the second.
  for (const isLast of [false, true]) {
    const known = values.length;
    for (const name of functions) {
      for (let first = 0; first < known; first++) {
        for (const step of [0, 1]) {
          const parameters = [values[first]];
          for (let more = 1; more < 7; more++) parameters[more] = values[(first + step * more) % known];
          try {
            const result = host[name](...parameters);
            const isObject = typeof result === "object" && result !== null;
            if (isObject && !isLast && values.length < 200) {
              values[values.length] = "isThrown" in result ? result.value : result;
            }
            if (isObject && "then" in result) call(then, result, null, () => {});
          } catch {
            thrown[thrown.length] = name;
          }
        }
      }
    }
  }
  return { functions, thrown };
}

test.for<Change>(["cannot be read", "throw when they are called", "are frozen"])(
  "no function that Rust calls throws where the globals %s",
  async (change) => {
    const code = `const { parentPort } = require("node:worker_threads");
      const load = () => { ${script}; return host; };
      parentPort.postMessage((${callAll})(load, ${JSON.stringify(change)}));`;
    const thread = new Worker(code, { eval: true });
    const told = await new Promise<any>((resolve, reject) => thread.once("message", resolve).once("error", reject));
    await thread.terminate();
    expect(told.functions).toContain("abortCall");
    expect(told.thrown).toEqual([]);
  },
);
