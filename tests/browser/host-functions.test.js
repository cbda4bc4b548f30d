/** All that Rust calls in JavaScript: nothing that a page does makes one of these functions throw, which would stop the module. */

import { describe, expect, test } from "vitest";

/** What a page may have done to its globals, before or after the package is loaded. The code runs in a frame. */
const changes = {
  "cannot be read": {
    isFirst: false,
    change: (/** @type {any} */ global, /** @type {string[]} */ names) => {
      const { defineProperty } = Object;
      const ErrorOfPage = Error;
      const get = () => {
        throw new ErrorOfPage("read");
      };
      for (const name of names) {
        try {
          defineProperty(global, name, { get });
        } catch {
          // It is not configurable, such as `location`.
        }
      }
    },
  },
  "throw when they are called": {
    isFirst: false,
    change: (/** @type {any} */ global, /** @type {string[]} */ names) => {
      const { defineProperty } = Object;
      const ErrorOfPage = Error;
      const value = () => {
        throw new ErrorOfPage("called");
      };
      for (const name of names) {
        try {
          defineProperty(global, name, { value });
        } catch {
          // It is not configurable, such as `location`.
        }
      }
    },
  },
  "are frozen": {
    isFirst: true,
    change: (/** @type {any} */ global, /** @type {string[]} */ names) => {
      for (const name of names) {
        try {
          Object.freeze(global[name].prototype);
          Object.freeze(global[name]);
        } catch {
          // It is no object, or the window itself.
        }
      }
    },
  },
};

/**
 * The code of a frame. It uses no global once these have changed.
 * @param {any} change
 * @param {boolean} isFirst
 * @param {(href: string) => Promise<any>} load
 */
function frameCode(change, isFirst, load) {
  const { parent } = globalThis;
  const post = globalThis.postMessage;
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
  /** @type {any[]} */
  const values = [
    ...[undefined, null, 7, -1, Number.NaN, "text", "", true, Symbol("odd"), 8n, {}, [], () => {}, throwing, revoked],
    ...[untouchable, new Uint8Array(4), new ArrayBuffer(4), new Blob(["x"]), new Headers({ a: "b" }), globalThis],
    ...[Promise.resolve(7), new Proxy({}, { get: throwing }), new Response("{}"), new Error("odd")],
  ];
  const names = Object.getOwnPropertyNames(globalThis);
  globalThis.onmessage = async ({ data: script }) => {
    if (isFirst) change(globalThis, names);
    const host = await load(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
    const functions = Object.keys(host);
    if (!isFirst) change(globalThis, names);
    /** @type {string[]} */
    const thrown = [];
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
    call(post, parent, { functions, thrown }, "*");
  };
}

/**
 * Calls each function with all kinds of parameters in a frame whose globals a page has changed.
 * @param {keyof typeof changes} which
 * @param {{ isSandboxed: boolean }} where
 * @returns {Promise<{ functions: string[], thrown: string[] }>} the names of the functions, and what they have thrown
 */
async function callAll(which, { isSandboxed }) {
  const { change, isFirst } = changes[which];
  const frame = document.createElement("iframe");
  if (isSandboxed) frame.sandbox.add("allow-scripts");
  frame.srcdoc = `<!doctype html><script>(${frameCode})(${change}, ${isFirst}, (href) => import(href))</script>`;
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  document.body.append(frame);
  try {
    await loaded;
    const script = await (await fetch("/host.js")).text();
    const told = new Promise((resolve) =>
      addEventListener("message", ({ source, data }) => source === frame.contentWindow && resolve(data)),
    );
    frame.contentWindow?.postMessage(script, "*");
    return await told;
  } finally {
    frame.remove();
  }
}

describe.for(/** @type {(keyof typeof changes)[]} */ (Object.keys(changes)))(
  "no function that Rust calls throws where the globals %s,",
  (which) => {
    test.for([
      ["in a frame", false],
      ["in a sandboxed frame", true],
    ])("%s", async ([, isSandboxed]) => {
      const { functions, thrown } = await callAll(which, { isSandboxed: Boolean(isSandboxed) });
      expect(functions).toContain("sendRequest");
      expect(thrown).toEqual([]);
    });
  },
);
