/** Oddities: unusual values of every JavaScript type, created again for each use. */

import { has } from "./engine.js";

/** The value that oddities throw or reject with. */
export class Oddity extends Error {}

/** @returns {never} */
export function throwing() {
  throw new Oddity("an oddity was touched");
}

/** A rejected promise that is marked as handled. */
export function rejected() {
  const promise = Promise.reject(new Oddity("an oddity was rejected"));
  promise.catch(() => {});
  return promise;
}

/** A proxy that throws at whatever is done with it. @param {object} target */
function untouchable(target) {
  return new Proxy(target, Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((name) => [name, throwing])));
}

/** @param {object} target */
function revoked(target) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** An object with getters that throw. @param {(string | symbol)[]} names @param {object} [object] */
function guarded(names, object = {}) {
  for (const name of names) {
    Object.defineProperty(object, name, { get: throwing, enumerable: true, configurable: true });
  }
  return object;
}

/** Bytes whose buffer is detached. */
function detached() {
  const view = new Uint8Array(8);
  structuredClone(view.buffer, { transfer: [view.buffer] });
  return view;
}

/** Bytes that say they have another length. @param {unknown} byteLength @param {number} [length] the real one */
function lying(byteLength, length = 4) {
  return Object.defineProperty(new Uint8Array(length), "byteLength", { value: byteLength });
}

/** @type {(Window & typeof globalThis) | undefined} */
let otherWindow;

/** Another window, whose objects have other classes. */
function other() {
  otherWindow ??= /** @type {Window & typeof globalThis} */ (
    document.body.appendChild(document.createElement("iframe")).contentWindow
  );
  return otherWindow;
}

/** Oddities by name. The names of those that never settle contain "never". @type {Record<string, () => unknown>} */
const all = {
  undefined: () => undefined,
  null: () => null,
  "minus zero": () => -0,
  "minus one": () => -1,
  "a half": () => 0.5,
  "2^53": () => 2 ** 53,
  "not a number": () => Number.NaN,
  infinity: () => Number.POSITIVE_INFINITY,
  "no text": () => "",
  text: () => "text",
  "a lone surrogate": () => "\ud800",
  "long text": () => "x\u{1F600}é".repeat(30_000),
  "the bigint 2^64": () => 2n ** 64n,
  "a symbol": () => Symbol("odd"),
  "an object": () => ({}),
  "an object without a prototype": () => Object.create(null),
  "an object that cannot be made a primitive": () => ({ [Symbol.toPrimitive]: throwing, toString: throwing }),
  "an object that lies about its class": () => ({ [Symbol.toStringTag]: "ArrayBuffer" }),
  "an object that hides its class": () => guarded([Symbol.toStringTag]),
  "an object that cannot be looped over": () => guarded([Symbol.iterator]),
  "an array": () => [],
  "a sparse array": () => new Array(1000),
  "an array of oddities": () => [undefined, null, Symbol("odd"), revoked({}), untouchable({}), 1n, [[]]],
  "a function": () => () => {},
  "a function that throws": () => throwing,
  "an untouchable": () => untouchable({}),
  "an untouchable function": () => untouchable(() => {}),
  "a revoked proxy": () => revoked({}),
  "a map": () => new Map([["a", 1]]),
  "document.all": () => /** @type {any} */ (document).all,
  "an error of another realm": () => new (other().Error)("odd"),
  "a URL of another realm": () => new (other().URL)("https://service.test/odd/"),
  "headers of another realm": () => new (other().Headers)({ authorization: "Bearer x" }),
  "a signal that is aborted": () => AbortSignal.abort(new Oddity("aborted")),
  "a signal that will be aborted": () => AbortSignal.timeout(3),
  "a signal of another realm": () => other().AbortSignal.abort(new Oddity("aborted")),
  "a signal that throws": () =>
    guarded(["reason"], { aborted: true, addEventListener: throwing, removeEventListener: throwing }),
  "a byte": () => new Uint8Array([0x7b]),
  "bytes of a shared buffer": () =>
    new Uint8Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer, 0, 2),
  "a resizable buffer": () => new ArrayBuffer(2, { maxByteLength: 16 }),
  "bytes that are out of bounds": () => {
    const buffer = new ArrayBuffer(16, { maxByteLength: 32 });
    const view = new Uint8Array(buffer, 8, 8);
    buffer.resize(4);
    return view;
  },
  "a detached buffer": () => detached().buffer,
  "detached bytes": detached,
  "a view that passes for bytes": () => Object.assign(new DataView(new ArrayBuffer(2)), { BYTES_PER_ELEMENT: 1 }),
  "bytes without a length": () => guarded(["byteLength"], new Uint8Array(4)),
  "bytes that say they are more": () => lying(4000),
  "bytes that say they are less": () => lying(3, 400),
  "bytes with a length that is a symbol": () => lying(Symbol("odd")),
  "bytes that cannot be cut": () => guarded(["subarray"], lying(64 * 1024, 64 * 1024)),
  "bytes of another realm": () => new (other().Uint8Array)([0x7b, 0x7d]),
  "a list that passes for bytes": () => Object.assign([1, 2, 3], { BYTES_PER_ELEMENT: 1, byteLength: 3 }),
  "a promise that is rejected": rejected,
  "a promise that is never settled": () => new Promise(() => {}),
  "a promise of another realm": () => other().Promise.resolve(),
  "a promise without a constructor": () => guarded(["constructor"], Promise.resolve({})),
  "a promise without then": () => guarded(["then"], Promise.resolve({})),
  "a promise whose then throws": () => withThen(Promise.resolve({}), throwing),
  "a promise whose then calls twice": () => thenTwice(Promise.resolve({})),
  "a thenable that is fulfilled": () => withThen({}, (/** @type {any} */ fulfil) => fulfil({})),
  "a thenable that cannot be read": () => guarded(["then"]),
  "a thenable that calls twice": () => thenTwice({}),
};

/** @param {object} object @param {unknown} then */
function withThen(object, then) {
  // biome-ignore lint/suspicious/noThenProperty: that it is one is the point
  return Object.defineProperty(object, "then", { value: then });
}

/** @param {object} object */
function thenTwice(object) {
  return withThen(object, (/** @type {any} */ fulfil, /** @type {any} */ reject) => {
    for (const call of [fulfil, reject, fulfil]) call?.(new Oddity("once"));
    setTimeout(() => reject?.(new Oddity("too late")), 1);
  });
}

/** The oddities on which the engine itself does not fail. */
export const oddities = Object.fromEntries(
  Object.entries(all).filter(
    ([name]) => has("promises that settle as odd ones do") || name !== "a promise without a constructor",
  ),
);
