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
  const names = /** @type {(keyof ProxyHandler<object>)[]} */ (
    Object.getOwnPropertyNames(Reflect).filter((name) => name !== "constructor")
  );
  return new Proxy(target, Object.fromEntries(names.map((name) => [name, throwing])));
}

/** @param {object} target */
function revoked(target) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** An object whose members change with each reading. */
function changing() {
  let times = 0;
  const values = [undefined, 7, "text", null, () => throwing(), [], true];
  return new Proxy({}, { get: (_, name) => (typeof name === "symbol" ? undefined : values[times++ % values.length]) });
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

/** A view that its buffer, once resized, no longer holds. @param {(buffer: ArrayBuffer) => object} makeView */
function outOfBounds(makeView) {
  const buffer = new ArrayBuffer(16, { maxByteLength: 32 });
  const view = makeView(buffer);
  buffer.resize(4);
  return view;
}

/**
 * Bytes that say they have another length.
 * @param {unknown} byteLength
 * @param {number} [length] the real one
 */
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

/** @satisfies {Record<string, () => unknown>} */
export const primitives = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  false: () => false,
  zero: () => 0,
  "minus zero": () => -0,
  one: () => 1,
  "minus one": () => -1,
  "a half": () => 0.5,
  "2^31": () => 2 ** 31,
  "2^32": () => 2 ** 32,
  "2^53": () => 2 ** 53,
  "-2^53": () => -(2 ** 53),
  "1e308": () => 1e308,
  "5e-324": () => 5e-324,
  "not a number": () => Number.NaN,
  infinity: () => Number.POSITIVE_INFINITY,
  "minus infinity": () => Number.NEGATIVE_INFINITY,
  "no text": () => "",
  text: () => "text",
  "a lone surrogate": () => "\ud800",
  "text with a zero": () => "a\0b",
  "long text": () => "x\u{1F600}é".repeat(30_000),
  "the bigint 0": () => 0n,
  "the bigint 2^63": () => 2n ** 63n,
  "the bigint -2^63": () => -(2n ** 63n),
  "the bigint 2^64": () => 2n ** 64n,
  "a bigint of 4000 bits": () => 2n ** 4000n,
  "a symbol": () => Symbol("odd"),
  "Symbol.iterator": () => Symbol.iterator,
};

/** @satisfies {Record<string, () => unknown>} */
export const objects = {
  "an object": () => ({}),
  "an object without a prototype": () => Object.create(null),
  "an object whose prototype cannot be touched": () => Object.create(untouchable({})),
  "an object whose prototype is revoked": () => Object.create(revoked({})),
  "an object that cannot be made a primitive": () => ({ [Symbol.toPrimitive]: throwing, toString: throwing }),
  "an object that is no primitive": () => ({ toString: () => ({}), valueOf: () => ({}) }),
  "a frozen object": () => Object.freeze({ a: 1 }),
  "an object that lies about its class": () => ({ [Symbol.toStringTag]: "ArrayBuffer" }),
  "an object that lies about its class and its length": () =>
    guarded(["length", Symbol.iterator], { [Symbol.toStringTag]: "ArrayBuffer" }),
  "an object that hides its class": () => guarded([Symbol.toStringTag]),
  "an object that cannot be looped over": () => guarded([Symbol.iterator]),
  "an object that contains itself": () => {
    /** @type {any} */
    const object = {};
    object.object = object;
    return object;
  },
  "an array": () => [],
  "a sparse array": () => new Array(1000),
  "an array of oddities": () => [undefined, null, Symbol("odd"), revoked({}), untouchable({}), 1n, [[]]],
  "an array that cannot be read": () => guarded(["0", Symbol.iterator], [1, 2]),
  "a function": () => () => {},
  "a function that throws": () => throwing,
  "a class": () => class {},
  "an untouchable": () => untouchable({}),
  "an untouchable array": () => untouchable([]),
  "an untouchable function": () => untouchable(() => {}),
  "a revoked proxy": () => revoked({}),
  "a revoked proxy of an array": () => revoked([]),
  "a revoked proxy of a function": () => revoked(() => {}),
  "an object that changes": changing,
  "a date that is none": () => new Date(Number.NaN),
  "a map": () => new Map([["a", 1]]),
  "a regular expression": () => /x/g,
  "an error": () => new Error("odd"),
  "a number object": () => Object(7),
  "a text object": () => Object("topics"),
  "a bigint object": () => Object(7n),
  "document.all": () => /** @type {any} */ (document).all,
  "the window": () => window,
  "a window of another realm": other,
  "an object of another realm": () => new (other().Object)(),
  "an array of another realm": () => new (other().Array)(3),
  "an error of another realm": () => new (other().Error)("odd"),
  "a URL": () => new URL("https://service.test/odd/"),
  "a URL of another realm": () => new (other().URL)("https://service.test/odd/"),
  headers: () => new Headers({ authorization: "Bearer x" }),
  "headers of another realm": () => new (other().Headers)({ authorization: "Bearer x" }),
  "headers with a name that is none": () => ({ "no name": "x" }),
  "headers with a value that is none": () => ({ name: "\n" }),
  "headers that cannot be read": () => guarded(["authorization"]),
  "a signal": () => new AbortController().signal,
  "a signal that is aborted": () => AbortSignal.abort(new Oddity("aborted")),
  "a signal that will be aborted": () => AbortSignal.timeout(3),
  "a signal of another realm": () => other().AbortSignal.abort(new Oddity("aborted")),
  "a signal that throws": () =>
    guarded(["reason"], { aborted: true, addEventListener: throwing, removeEventListener: throwing }),
  "a signal that cannot be asked": () => guarded(["aborted"], { addEventListener() {}, removeEventListener() {} }),
  "a signal that tells at once and for ever": () => {
    let aborted = false;
    return {
      get aborted() {
        return aborted;
      },
      reason: new Oddity("aborted"),
      addEventListener(/** @type {string} */ _, /** @type {() => void} */ listener) {
        aborted = true;
        listener();
        setTimeout(listener, 1);
      },
      removeEventListener: throwing,
    };
  },
};

/** @satisfies {Record<string, () => unknown>} */
const buffers = {
  "no bytes": () => new Uint8Array(),
  "a byte": () => new Uint8Array([0x7b]),
  "clamped bytes": () => new Uint8ClampedArray([0x7b, 0x7d]),
  "signed bytes": () => new Int8Array([0x7b, 0x7d]),
  "bytes of a shared buffer": () =>
    new Uint8Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer, 0, 2),
  "a shared buffer": () => new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer,
  "bytes of a resizable buffer": () => new Uint8Array(new ArrayBuffer(2, { maxByteLength: 16 })),
  "a resizable buffer": () => new ArrayBuffer(2, { maxByteLength: 16 }),
  "bytes that are out of bounds": () => outOfBounds((buffer) => new Uint8Array(buffer, 8, 8)),
  "a detached buffer": () => detached().buffer,
  "detached bytes": detached,
  "words that hide": () => Object.defineProperty(new Uint32Array(2), "BYTES_PER_ELEMENT", { value: 1 }),
  words: () => new Uint32Array(2),
  "bigints for bytes": () => Object.defineProperty(new BigUint64Array(2), "BYTES_PER_ELEMENT", { value: 1 }),
  "a view": () => new DataView(new ArrayBuffer(2)),
  "a view that passes for bytes": () => Object.assign(new DataView(new ArrayBuffer(2)), { BYTES_PER_ELEMENT: 1 }),
  "a view out of bounds that passes for bytes": () =>
    outOfBounds((buffer) => Object.assign(new DataView(buffer, 8), { BYTES_PER_ELEMENT: 1 })),
  "bytes without a length": () => guarded(["byteLength"], new Uint8Array(4)),
  "bytes that say they are more": () => lying(4000),
  "bytes that say they are endless": () => lying(2 ** 32 - 1),
  "bytes that say they are less": () => lying(3, 400),
  "bytes with a length that is no number": () => lying("x"),
  "bytes with a length that is a symbol": () => lying(Symbol("odd")),
  "bytes with a length that is a bigint": () => lying(4n),
  "bytes that grow while they are read": () => {
    let length = 1;
    return Object.defineProperty(new Uint8Array(64), "byteLength", { get: () => (length *= 7) });
  },
  "bytes that cannot be cut": () => guarded(["subarray"], lying(64 * 1024, 64 * 1024)),
  "bytes of another class": () => {
    class Odd extends Uint8Array {
      static get [Symbol.species]() {
        return throwing();
      }
    }
    return new Odd(64 * 1024);
  },
  "bytes of another realm": () => new (other().Uint8Array)([0x7b, 0x7d]),
  "a buffer of another realm": () => new (other().ArrayBuffer)(2),
  "a list that passes for bytes": () => Object.assign([1, 2, 3], { BYTES_PER_ELEMENT: 1, byteLength: 3 }),
};

/** @satisfies {Record<string, () => unknown>} */
export const promises = {
  "a promise of nothing": () => Promise.resolve(),
  "a promise that is rejected": rejected,
  "a promise that is never settled": () => new Promise(() => {}),
  "a promise of another realm": () => other().Promise.resolve(),
  "a promise without a constructor": () => guarded(["constructor"], Promise.resolve({})),
  "a promise without then": () => guarded(["then"], Promise.resolve({})),
  "a promise whose then throws": () => withThen(Promise.resolve({}), throwing),
  "a promise whose then is no function": () => withThen(Promise.resolve({}), 7),
  "a promise whose then never calls, never settled": () => withThen(Promise.resolve({}), () => {}),
  "a promise whose then calls twice": () => thenTwice(Promise.resolve({})),
  "a promise whose constructor is another": () => Object.assign(Promise.resolve({}), { constructor: throwing }),
  "a promise of another class": () => {
    class Odd extends /** @type {any} */ (Promise) {
      static get [Symbol.species]() {
        return throwing();
      }
    }
    return Odd.resolve({});
  },
  "a thenable that is fulfilled": () => thenable((fulfil) => fulfil({})),
  "a thenable that is rejected": () => thenable((_, reject) => reject(new Oddity("an oddity was rejected"))),
  "a thenable that throws": () => thenable(throwing),
  "a thenable that cannot be read": () => guarded(["then"]),
  "a thenable that is never settled": () => thenable(() => {}),
  "a thenable that calls twice": () => thenTwice({}),
  "a thenable that gives a thenable": () => thenable((fulfil) => fulfil(thenTwice({}))),
};

/** @param {object} object @param {unknown} then */
function withThen(object, then) {
  // biome-ignore lint/suspicious/noThenProperty: that it is one is the point
  return Object.defineProperty(object, "then", { value: then });
}

/** @param {object} object */
function thenTwice(object) {
  return withThen(object, (/** @type {any} */ fulfil, /** @type {any} */ reject) => {
    fulfil({});
    reject?.(new Oddity("too late"));
    fulfil({});
    setTimeout(() => {
      fulfil({});
      reject?.(new Oddity("much too late"));
    }, 1);
  });
}

/** @param {(fulfil: (value: unknown) => void, reject: (reason: unknown) => void) => void} then */
function thenable(then) {
  return withThen({}, then);
}

/** Values that must not break a call, unless the engine itself fails on them. */
const settling = Object.entries(promises).filter(
  ([name]) =>
    has("promises that settle as odd ones do") ||
    !["a promise without a constructor", "a promise of another class"].includes(name),
);

/** All oddities by name. The names of those that never settle contain "never". @type {Record<string, () => unknown>} */
export const oddities = { ...primitives, ...objects, ...buffers, ...Object.fromEntries(settling) };

/** Whether a recipe has a word for what never settles. @param {unknown} recipe */
export function mentionsNever(recipe) {
  return /never/.test(JSON.stringify(recipe));
}
