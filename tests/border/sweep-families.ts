/** What the sweep does to a call: for each target, at its k-th occasion. */

import { border, host, turn } from "./sweep-world.ts";

/** The call that is disturbed. */
export interface Disturbed {
  /** Called when the package calls a function of the caller or of the page. */
  hook: (name: string) => void;
  isOver: boolean;
  /** Ends something, or begins it. Returns false if the call has no such end. */
  act: (name: string) => boolean;
}

export interface Family {
  readonly targets: () => string[];
  /** Begins to disturb. `stop` ends that, `hasCome` tells whether there was a k-th occasion. */
  readonly arm: (target: string, k: number, call: Disturbed) => { stop: () => unknown; hasCome: () => boolean };
  /** The largest k, unless it goes on as long as there is a k-th occasion. */
  readonly most?: number;
  /** Whether the module may stop. */
  readonly mayStop?: boolean;
  /** Whether a call may fail in any way; and one of another client in any way, too, or because the module has stopped. */
  readonly mayFail?: "all" | "stopped";
  /** The first requests for these partitions are refused. */
  readonly faults?: string[];
  /** Whether it disturbs the page, whose globals a worker does not share. */
  readonly isOfPage?: boolean;
  /** Whether the call has to end with the end that comes. */
  readonly endsAtOnce?: boolean;
  /** Whether the caller passes functions. */
  readonly hasFunctions?: boolean;
  /** The size of partitions. */
  readonly findings?: number;
}

const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames } = Object;
const { apply } = Reflect;

/** What is thrown. */
export const THROWN = new host.Error("thrown at the border");

function thrown(): never {
  throw THROWN;
}

function trap(): never {
  throw new WebAssembly.RuntimeError("unreachable");
}

/** Returns a function that acts when it is called for the k-th time. */
function counter(k: number, act: () => void) {
  const count = Object.assign(
    () => {
      if (++count.calls === k) act();
    },
    { calls: 0 },
  );
  return count;
}

/** Replaces a member, by a function or by a property, until the returned function is called. */
function replace(object: any, key: string, by: object): () => void {
  const own = getOwnPropertyDescriptor(object, key);
  defineProperty(object, key, {
    configurable: true,
    ...(typeof by === "function" ? { value: by, writable: true } : by),
  });
  return () => void (own === undefined ? delete object[key] : defineProperty(object, key, own));
}

const traps: Family = {
  mayStop: true,
  mayFail: "stopped",
  targets: () => ["import", "export"],
  arm(target, k) {
    const count = counter(k, trap);
    border.crosses = (side) => side === target && count();
    return { stop: () => Object.assign(border, { crosses: undefined }), hasCome: () => count.calls >= k };
  },
};

/** A method that Rust calls throws, as where the stack is exhausted. One that returns a value has nothing left to do that could throw. */
const throws: Family = {
  mayFail: "all",
  targets: () => ["before", "after"],
  arm(target, k) {
    const count = counter(k, thrown);
    const restore = [...border.classes].flatMap(({ prototype }) =>
      getOwnPropertyNames(prototype).flatMap((name) => {
        const { value } = getOwnPropertyDescriptor(prototype, name) ?? {};
        if (typeof value !== "function" || name === "constructor") return [];
        return replace(prototype, name, function (this: unknown, ...parameters: unknown[]) {
          if (target === "before") count();
          const result = apply(value, this, parameters);
          if (target === "after" && result === undefined) count();
          return result;
        });
      }),
    );
    return { stop: () => restore.forEach((one) => void one()), hasCome: () => count.calls >= k };
  },
};

const ENDS = ["abort", "free", "freeTable", "cancel", "freeLive", "return", "cancelResume", "abortFree"];

/** A call is ended after so many turns of the event loop, and k microtasks. */
const ends: Family = {
  endsAtOnce: true,
  hasFunctions: true,
  // So there is a backoff.
  faults: ["Topics/2"],
  targets: () => ENDS.flatMap((end) => [0, 1, 2, 3, 4, 6, 9, 13].map((turns) => `${end} ${turns}`)),
  most: 25,
  arm(target, k, call) {
    const [end = "", turns] = target.split(" ");
    let hasCome = false;
    void (async () => {
      for (let left = Number(turns); left > 0; left--) await turn();
      for (let left = k; left > 1; left--) await undefined;
      hasCome = !call.isOver && call.act(end);
    })();
    return { stop() {}, hasCome: () => hasCome };
  },
};

/** The number of calls that the stack has room for, as far as is known. */
let mostFrames = 5000;

/** The caller ends a call, or begins another, where this many calls are left of its stack. That may cost the instance, as any trap. */
const depth: Family = {
  mayStop: true,
  mayFail: "stopped",
  targets: () =>
    ["abort", "free", "cancel", "freeLive", "return", "next", "resumeLive", "begin"].flatMap((end) =>
      [0, 1, 3].map((turns) => `${end} ${turns}`),
    ),
  most: 40,
  arm(target, k, call) {
    const [end = "", turns] = target.split(" ");
    const down = (frames: number, act: () => unknown): unknown =>
      frames === 0 ? act() : down(frames - 1, act) || false;
    let hasCome = false;
    void (async () => {
      for (let left = Number(turns); left > 0; left--) await turn();
      if (call.isOver) return;
      const attempt = (act: () => unknown) => {
        try {
          return act() !== false;
        } catch {
          return false;
        }
      };
      while (attempt(() => down(mostFrames + 20, () => true))) mostFrames += 20;
      while (!attempt(() => down(mostFrames, () => true))) mostFrames -= 20;
      const act = () => {
        hasCome = call.act(end);
      };
      hasCome = true;
      attempt(() => down(mostFrames - 20 * (k - 1), act));
    })();
    return { stop() {}, hasCome: () => hasCome };
  },
};

// Without `Object`, neither the glue nor the package goes on: no call settles before it is back, and no page lacks it.
const GLOBALS =
  "Headers AbortController setTimeout clearTimeout queueMicrotask performance Date Math TextDecoder TextEncoder FinalizationRegistry WeakRef BigInt Map Set WeakMap Array Reflect JSON Uint8Array Uint32Array Float64Array ArrayBuffer DataView Error TypeError MessageChannel navigator crypto Response Promise".split(
    " ",
  );

/** A global is away, throws, or does nothing, from the k-th turn on until the call is over. */
const globals: Family = {
  isOfPage: true,
  mayStop: true,
  mayFail: "all",
  targets: () =>
    GLOBALS.flatMap((name) => {
      const hows = ["absent", "throws", "unreadable", ...(/^(set|clear|queue)/.test(name) ? ["nothing"] : [])];
      return hows.map((how) => `${name} ${how}`);
    }),
  most: 4,
  arm(target, k, call) {
    const [name = "", how] = target.split(" ");
    const value = how === "absent" ? undefined : how === "throws" ? thrown : function nothing() {};
    const property = how === "unreadable" ? { get: thrown } : { value, writable: true };
    let stop = () => {};
    const begin = () => {
      if (!call.isOver) stop = replace(globalThis, name, property);
    };
    if (k === 1) begin();
    else {
      void (async () => {
        for (let left = k; left > 2; left--) await turn();
        begin();
      })();
    }
    return { stop: () => stop(), hasCome: () => true };
  },
};

// Without `Promise.prototype.then`, nobody can follow a promise of the page. `FinalizationRegistry.prototype.unregister` is called by the glue in the job
// of a promise, where what it throws is a rejection of nobody; no polyfill can have it.
const MEMBERS =
  "TextEncoder.prototype.encodeInto TextEncoder.prototype.encode TextDecoder.prototype.decode Math.random Math.max Math.min Date.now performance.now String.prototype.split String.prototype.startsWith String.prototype.slice String.prototype.replace Array.prototype.map Array.prototype.filter Array.prototype.push Array.prototype.shift Array.prototype.some Array.prototype.includes Array.prototype.forEach Array.prototype.flatMap Map.prototype.get Map.prototype.set Set.prototype.add Set.prototype.delete WeakMap.prototype.get WeakMap.prototype.set Object.entries Object.assign Object.freeze Object.hasOwn Number.isFinite Reflect.get JSON.stringify JSON.parse AbortController.prototype.abort EventTarget.prototype.addEventListener EventTarget.prototype.removeEventListener Headers.prototype.get Headers.prototype.has Function.prototype.bind Function.prototype.apply Array.isArray Uint8Array.prototype.set Uint8Array.prototype.slice Uint8Array.prototype.subarray Uint32Array.prototype.set FinalizationRegistry.prototype.register WeakRef.prototype.deref ArrayBuffer.isView Map.prototype.delete Promise.prototype.catch Promise.prototype.finally Promise.resolve Promise.reject Promise.race Promise.all".split(
    " ",
  );

/** A function of the language throws when the package calls it for the k-th time. */
const members: Family = {
  isOfPage: true,
  mayStop: true,
  mayFail: "all",
  targets: () => MEMBERS,
  most: 12,
  arm(target, k) {
    const path = target.split(".");
    const key = path.pop() as string;
    const object: any = path.reduce((value: any, name) => value[name], globalThis);
    const value = object[key];
    const count = counter(k, thrown);
    const { stackTraceLimit } = host.Error;
    const { test } = RegExp.prototype;
    const ofPackage = /^.*\n.*\n.*\/dist\//;
    const stop = replace(object, key, function (this: unknown, ...parameters: unknown[]) {
      host.Error.stackTraceLimit = 2;
      const { stack } = new host.Error();
      host.Error.stackTraceLimit = stackTraceLimit;
      if (apply(test, ofPackage, [stack])) count();
      return apply(value, this, parameters);
    });
    return { stop, hasCome: () => count.calls >= k };
  },
};

const FUNCTIONS =
  "headers fetch onProgress onPartition readCounts subscriber snapshot signal.aborted signal.reason signal.add signal.remove response.status response.headers response.body getReader reader.read reader.cancel performance.now Date.now BigInt encodeInto".split(
    " ",
  );
const ACTIONS = "begin abort free freeOther freeTable cancel freeLive resumeLive return next resume throw".split(" ");
const PAGE: Record<string, [object: object, key: string]> = {
  "performance.now": [performance, "now"],
  "Date.now": [Date, "now"],
  encodeInto: [TextEncoder.prototype, "encodeInto"],
  BigInt: [globalThis, "BigInt"],
};

/** A function of the caller or of the page calls back at its k-th call. */
const enters: Family = {
  hasFunctions: true,
  faults: ["Topics/2"],
  targets: () => FUNCTIONS.flatMap((name) => ACTIONS.map((action) => `${name} ${action}`)),
  most: 8,
  arm(target, k, call) {
    const [name = "", action = ""] = target.split(" ");
    let [isIn, hasCome] = [false, false];
    const count = counter(k, () => {
      isIn = true;
      try {
        if (action === "throw") thrown();
        hasCome = call.act(action);
      } finally {
        isIn = false;
      }
    });
    call.hook = (called) => {
      if (called === name && !isIn) count();
    };
    const [object, key = ""] = PAGE[name] ?? [];
    const value = (object as any)?.[key];
    const stop =
      object === undefined
        ? () => {}
        : replace(object, key, function (this: unknown, ...parameters: unknown[]) {
            call.hook(name);
            return apply(value, this, parameters);
          });
    const end = () => {
      stop();
      call.hook = () => {};
    };
    return { stop: end, hasCome: () => hasCome || (action === "throw" && count.calls >= k) };
  },
};

/** The memory grows by k − 1 pages, and no more. */
const memory: Family = {
  mayFail: "all",
  findings: 100,
  targets: () => ["grows"],
  most: 30,
  arm(_, k) {
    border.pages = k - 1;
    return { stop: () => Object.assign(border, { pages: undefined }), hasCome: () => true };
  },
};

export const FAMILIES: Record<string, Family> = { traps, throws, ends, depth, globals, members, enters, memory };
