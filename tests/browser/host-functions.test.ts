/** All that Rust calls in JavaScript: nothing that a page does makes one of these functions throw, which would stop the module. */

import { expect, test } from "vitest";
import { toldByFrame } from "./realm.js";

/** What a page may have done to its globals: the last of these before the package is loaded. */
type Change = "cannot be read" | "throw when they are called" | "are frozen";

/**
 * The code of a frame: calls each function with all kinds of parameters after it has changed the globals, of which it then uses none. Returns the names of
 * the functions, and of those that have thrown.
 */
async function callAll({ script, change }: { script: string; change: Change }) {
  const { load } = globalThis as any;
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
    const get = () => {
      throw new ErrorOfPage("read");
    };
    const value = () => {
      throw new ErrorOfPage("called");
    };
    const global: any = globalThis;
    for (const name of names) {
      try {
        if (change !== "are frozen") defineProperty(global, name, change === "cannot be read" ? { get } : { value });
        else for (const one of [global[name].prototype, global[name]]) Object.freeze(one);
      } catch {
        // It is not configurable, such as `location`, or no object, or the window itself.
      }
    }
  };
  if (change === "are frozen") makeChange();
  const { signal } = new AbortController();
  const host = await load(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  const functions = Object.keys(host).filter((name) => name !== "Performer");
  values[values.length] = new host.Performer({ isLost: false }, signal);
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

test.for<[Change, boolean]>([
  ["cannot be read", true],
  ["throw when they are called", false],
  ["are frozen", false],
])(
  "no function that Rust calls throws where the globals %s, in a sandboxed frame: %s",
  async ([change, isSandboxed]) => {
    const script = await (await fetch("/host.js")).text();
    const { functions, thrown } = await toldByFrame(callAll, { script, change }, { isSandboxed });
    expect(functions).toContain("sendRequest");
    expect(thrown).toEqual([]);
  },
);
