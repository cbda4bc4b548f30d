// An instance of the WebAssembly module. After a trap, the calls in flight reject, and the next call starts another
// instance.

import { type Exports, makeGlue } from "../engine/engine.js";
import { ErrorClass } from "../error/error-class.js";
import { onModuleStop, runStopHandlers } from "../host/cleanup.js";
import { thrownText } from "../host/member.js";
import { inMicrotask } from "../host/microtask.js";

type Call = (...parameters: unknown[]) => unknown;

/** A result that the glue reads as success. */
const NO_ERROR = [0, 0];

/** An instance of the module, with its own memory, which the glue releases when the instance stops. */
export class Instance {
  readonly #glue = makeGlue((exports) => this.#watched(exports));
  /** The exports, for what crosses without glue. */
  exports = {} as Exports;
  /** The functions that replace the exports when the instance stops. */
  #replacements = {} as Exports;
  /** Whether it is unusable, because an error has left one of its exports. */
  isLost = false;
  #isStopped = false;
  #cause: unknown;

  private constructor(readonly module: WebAssembly.Module) {}

  /** Instantiates the compiled module. */
  static async start(module: WebAssembly.Module): Promise<Instance> {
    const instance = new Instance(module);
    await instance.#glue.start(module);
    return instance;
  }

  /** The class of clients in this instance. */
  get Client() {
    return this.#glue.Client;
  }

  /** Settles like a call of the module, but rejects if the instance stops, which would leave the call's promise pending. */
  guarded<Result>(call: () => Promise<Result>, target: object): Promise<Result> {
    return new Promise((resolve, reject) => {
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          settle(value);
          leave();
        };
      const end = () => settled(reject)(this.#error(target));
      const leave = onModuleStop(end);
      try {
        call().then(settled(resolve), settled(reject));
      } catch (thrown) {
        if (!this.isLost) settled(reject)(thrown);
      }
      if (this.isLost) end();
    });
  }

  /** Ends all calls in flight of a lost instance. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    // The exports keep the memory alive.
    this.exports = this.#replacements;
    this.#glue.replaceExports(this.#replacements);
    runStopHandlers();
  }

  /** Wraps the exports: an error that leaves one of them marks the instance as lost, because no destructor has run. */
  #watched(exports: Exports): Exports {
    const watched: Record<string, unknown> = { ...exports };
    const replacements: Record<string, unknown> = {};
    const succeed = () => NO_ERROR;
    const fail = () => {
      throw this.#error();
    };
    for (const [name, call] of Object.entries(exports)) {
      if (typeof call !== "function") continue;
      const end = mustNotThrow(name) ? succeed : fail;
      replacements[name] = end;
      watched[name] = this.#watchedCall(call as Call, end);
    }
    this.#replacements = replacements as unknown as Exports;
    this.exports = watched as unknown as Exports;
    return this.exports;
  }

  /** Wraps an export. The number of parameters is fixed, because engines call such functions faster. */
  #watchedCall(call: Call, end: () => unknown): Call {
    return (a, b, c, d, e, f) => {
      if (!this.isLost) {
        try {
          return call(a, b, c, d, e, f);
        } catch (cause) {
          this.#lose(cause);
        }
      }
      return end();
    };
  }

  /** Notes the error that has left an export, unless the export that called it has. The calls in flight end where no export runs. */
  #lose(cause: unknown): void {
    if (this.isLost) return;
    this.isLost = true;
    this.#cause = cause;
    inMicrotask(() => this.stop());
  }

  #error(target: object = {}): Error {
    const cause = this.#cause;
    const reason = `(${thrownText(cause)})${mayBeOfMemory(cause) ? ", probably because it was out of memory" : ""}`;
    const message = `WebAssembly has stopped ${reason}. All tables are lost; the next call starts it again.`;
    const error = new ErrorClass("memory", message, { ...target, cause });
    release(cause);
    release(error);
    return error;
  }
}

/** Whether memory that has run out may have thrown this. The end of the stack is a `RangeError`, too. */
function mayBeOfMemory(thrown: unknown): boolean {
  const isOfEngine = thrown instanceof RangeError || thrown instanceof WebAssembly.RuntimeError;
  return isOfEngine && !/call stack/.test(thrown.message);
}

/** Whether an export is called by the host (closures) or frees memory (destructors): `tools/wasm-bindgen` marks its name. */
function mustNotThrow(name: string): boolean {
  return name.startsWith("$");
}

/** Makes an error release its stack frames, which keep the memory alive: reading `stack` once turns it into a string. */
function release(error: unknown): void {
  if (error instanceof Error) void error.stack;
}
