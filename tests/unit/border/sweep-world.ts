/** The world of the sweep: a clock that moves only when nothing else can, channels without threads, and the border, where each crossing can be disturbed. */

import { resolveObjectURL } from "node:buffer";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { dist } from "../../../tools/repository.js";
import { limited, page } from "../../page/binary.js";

/** The functions of the host, as they are before a case changes them. */
export const host = {
  ...globalThis,
  Math: { ...Math, min: Math.min, max: Math.max },
  setImmediate,
  Error,
  WeakRef,
  Map,
  Set,
  Promise,
  toString: Function.prototype.toString,
};
const { assign } = Object;

/** The code of a page that is called by the package: counts as something that happens. */
export const events = { count: 0 };

/** What the package waits for: the timers, with their moments, and the messages on their way. */
export const waiting = { now: 0, timers: new host.Map<number, { at: number; call: () => void }>(), messages: 0 };

let lastTimer = 0;

Object.assign(globalThis, {
  setTimeout: (call: (...parameters: unknown[]) => void, milliseconds = 0, ...parameters: unknown[]) => {
    waiting.timers.set(++lastTimer, { at: waiting.now + milliseconds, call: () => call(...parameters) });
    return lastTimer;
  },
  clearTimeout: (timer: number) => void waiting.timers.delete(timer),
  MessageChannel: class {
    port1: any = { close() {} };
    port2 = { close() {}, postMessage: () => deliver(() => this.port1.onmessage?.({})) };
  },
  // The health of a worker is told apart elsewhere.
  setInterval() {},
  clearInterval() {},
  location: { href: "https://page.test/" },
});

/** Delivers a message in a later turn. */
function deliver(call: () => void): void {
  waiting.messages++;
  host.setImmediate(() => {
    waiting.messages--;
    events.count++;
    call();
  });
}

/** A worker as pages have it, whose script runs in this thread. */
class PageWorker extends EventTarget {
  readonly #script;
  #isOver = false;
  #take = (_: { data: unknown }) => {};

  constructor(url: string) {
    super();
    const scope = {
      addEventListener: (_: string, take: (event: { data: unknown }) => void) => {
        this.#take = take;
      },
      close() {},
      postMessage: (data: unknown) => this.#deliver(() => this.dispatchEvent(assign(new Event("message"), { data }))),
    };
    this.#script = (resolveObjectURL(url) as Blob).text().then((text) => new Function("globalThis", text)(scope));
  }

  postMessage(data: unknown): void {
    waiting.messages++;
    void this.#script.then(() => {
      waiting.messages--;
      this.#deliver(() => this.#take({ data }));
    });
  }

  terminate(): void {
    this.#isOver = true;
  }

  #deliver(call: () => void): void {
    deliver(() => this.#isOver || call());
  }
}
Object.assign(globalThis, { Worker: PageWorker });
// Each look at the clock takes a moment, so time slices end.
performance.now = () => {
  waiting.now += 0.4;
  return waiting.now;
};
Math.random = () => 0.5;

/** The listeners for `online` and their number, as in a page, whose global object is an event target. */
export const online = { listeners: 0 };
Object.assign(globalThis, {
  addEventListener: (event: string) => void (event === "online" && online.listeners++),
  removeEventListener: (event: string) => void (event === "online" && online.listeners--),
});

/** The objects of the case that runs, and of those before it, which nothing may keep. */
const recent: { name: string; object: WeakRef<object> }[] = [];
const ended: typeof recent = [];
const known = new WeakSet<object>();

/** Takes note of an object that nothing may keep after its call. */
export function mustGo(name: string, object: object): void {
  if (known.has(object)) return;
  known.add(object);
  recent.push({ name, object: new host.WeakRef(object) });
}

/** Begins a case: the one before it is over. */
export function beginCase(): void {
  ended.push(...recent.splice(0));
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** The most collections that a test waits for: the engine's own tasks may keep what they look at, longer on a busy machine. */
const COLLECTIONS = 100;

/** Collects garbage until nothing is kept, and returns the names of the objects that something keeps. Those of the last case may be on the stack. */
export async function kept(): Promise<string[]> {
  let left = ended.splice(0);
  for (let count = 0; left.length > 0 && count < COLLECTIONS; count++) {
    await new host.Promise((resolve) => void host.setTimeout(resolve, count));
    collect();
    left = left.filter(({ object }) => object.deref() !== undefined);
  }
  return left.map(({ name }) => name);
}

/** What nobody has handled. */
export const unhandled: string[] = [];
for (const listener of process.listeners("unhandledRejection")) process.off("unhandledRejection", listener);
for (const listener of process.listeners("uncaughtException")) process.off("uncaughtException", listener);
process.on("unhandledRejection", (reason) => void unhandled.push(`unhandled rejection: ${reason}`));
// Near the end of the stack, functions of Node fail in their own ways, and without a global those of the test runner.
const isOurs = (error: any) =>
  !(error instanceof host.Error) || [dist, import.meta.dirname].some((folder) => error.stack?.includes(folder));
process.on("uncaughtException", (error) => void (isOurs(error) && unhandled.push(`uncaught: ${error}`)));

/** A turn of the event loop. */
export function turn(): Promise<void> {
  return new host.Promise((resolve) => void host.setImmediate(resolve));
}

/** Lets everything happen until something is so, and time pass when nothing else can happen. Returns false if it never is so. */
export async function until(isSo: () => boolean): Promise<boolean> {
  for (let [idle, steps] = [0, 0]; !isSo(); ) {
    const { count } = events;
    await turn();
    idle = count === events.count && waiting.messages === 0 ? idle + 1 : 0;
    if (idle < 4) continue;
    const next = [...waiting.timers].sort(([, one], [, other]) => one.at - other.at)[0];
    if (next === undefined || steps++ > 200) return isSo();
    waiting.timers.delete(next[0]);
    waiting.now = host.Math.max(waiting.now, next[1].at);
    try {
      next[1].call();
    } catch (thrown) {
      unhandled.push(`uncaught in a timer: ${thrown}`);
    }
  }
  return true;
}

/** The border: what is called at each crossing, before it, with its name; the memory that an instance may get. */
export const border = {
  crosses: undefined as ((side: "import" | "export", name: string) => void) | undefined,
  instances: 0,
  pages: undefined as number | undefined,
};

const { instantiate, compile } = WebAssembly;
const bytesOf = new WeakMap<WebAssembly.Module, Uint8Array<ArrayBuffer>>();
const mapped = (object: object, change: (name: string, value: any) => unknown): any =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]));

/** Lets an object of the package's own classes, which an import is called with, be one that nothing may keep. */
function mustGoIfOwn(object: any): void {
  const made = typeof object === "object" && object !== null ? Object.getPrototypeOf(object)?.constructor : undefined;
  // Those of Node are classes, too, and a client performs more than one call.
  const isOwn = typeof made === "function" && !(made.name in globalThis) && made.name !== "Performer";
  if (isOwn && /^class /.test(host.toString.call(made))) mustGo(made.name, object);
}

function watched(side: "import" | "export", name: string, call: any) {
  if (typeof call !== "function") return call;
  return (...parameters: any[]) => {
    events.count++;
    if (side === "import") mustGoIfOwn(parameters[0]);
    border.crosses?.(side, name);
    return call(...parameters);
  };
}

Object.assign(WebAssembly, {
  compile: async (bytes: Uint8Array<ArrayBuffer>) => {
    const module = await compile(bytes);
    bytesOf.set(module, new Uint8Array(bytes));
    return module;
  },
  instantiate: async (module: WebAssembly.Module, imports: WebAssembly.Imports) => {
    // Time passes for nobody meanwhile.
    waiting.messages++;
    try {
      return await instantiated(module, imports);
    } finally {
      waiting.messages--;
    }
  },
});

async function instantiated(module: WebAssembly.Module, imports: WebAssembly.Imports) {
  const bytes = bytesOf.get(module) as Uint8Array<ArrayBuffer>;
  const used = border.pages === undefined ? module : await compile(limited(bytes, border.pages * page));
  const watchedImports = mapped(imports, (_, functions) =>
    mapped(functions, (name, call) => watched("import", name, call)),
  );
  const { exports } = await instantiate(used, watchedImports);
  border.instances++;
  return { exports: mapped(exports, (name, call) => watched("export", name, call)) };
}
