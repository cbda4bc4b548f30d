// The instance of the module. A trap stops it: what was in flight ends with an error, and the next call starts another.

import { atStop, forget, stop } from "./cleanup.js";
import { FindingsError, type FindingsErrorDetails } from "./error.js";
import { type Client, type InitOutput as Exports, makeGlue, type Options } from "./inspection_findings.js";
import { needStack, watchStack } from "./stack.js";

type Call = (...parameters: unknown[]) => unknown;

/** What a call is about, as far as its error says so. */
export type Subject = Pick<FindingsErrorDetails, "kind" | "inspectionKey">;

/**
 * Functions whose errors nobody would get: those that the host calls for the module (from promises, timers and
 * listeners), and those that give memory back.
 */
const UNHEARD = /^wasm_bindgen__convert__closures_____invoke__|^__wbindgen_destroy_closure$|^__wbg_\w+_free$/;

/** Functions that the glue calls, and not the package: from a call of the module, or for the host. */
const INTERNAL = /^__|^wasm_bindgen__/;

/** What the glue takes for an answer without an error. */
const NO_ERROR = [0, 0];

/** One run of the module, with a memory of its own, which the glue lets go of when it stops. */
export class Instance {
  readonly #glue = makeGlue((exports) => this.#watched(exports));
  /** What the exports are replaced by when it stops. */
  #remains = {} as Exports;
  /** Whether a call was left by an error. Set before anything else, by what no exhausted stack can prevent. */
  #isLost = false;
  #isStopped = false;
  #cause: unknown;

  /** Starts the compiled module. */
  static async start(module: WebAssembly.Module): Promise<Instance> {
    watchStack();
    const instance = new Instance();
    await instance.#glue.start({ module_or_path: module });
    return instance;
  }

  /** Whether it cannot be used any more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** A client that lives in this instance. */
  client(options: Options | undefined, life: AbortSignal): Client {
    return new this.#glue.Client(options, life);
  }

  /** What a call of the module comes to; where that stops before, the promise itself would stay pending for ever. */
  settled<Result>(call: () => Promise<Result>, subject: Subject): Promise<Result> {
    return new Promise((resolve, reject) => {
      const end = () => reject(this.#error(subject));
      try {
        const promise = call();
        if (this.#isLost) end();
        else atStop(promise, end);
        promise.finally(() => forget(promise)).then(resolve, reject);
      } catch (thrown) {
        if (this.#isLost) end();
        else reject(thrown);
      }
    });
  }

  /**
   * Ends what was under way when it was lost. On an exhausted stack it throws the error of that and does nothing; the next call of
   * whatever kind does it then.
   */
  stop(): void {
    if (this.#isStopped) return;
    needStack();
    this.#isStopped = true;
    this.#glue.forget(this.#remains);
    stop();
  }

  /** The exports of the module; it is lost when one of them is left by an error, for nothing inside was cleaned up. */
  #watched(exports: Exports): Exports {
    const watched: Record<string, unknown> = { ...exports };
    const remains: Record<string, unknown> = {};
    for (const [name, call] of Object.entries(exports)) {
      if (typeof call !== "function") continue;
      const end = UNHEARD.test(name) ? () => NO_ERROR : () => this.#fail();
      const watchedCall = this.#watchedCall(call as Call, end);
      remains[name] = end;
      watched[name] = INTERNAL.test(name) ? watchedCall : withStack(watchedCall);
    }
    this.#remains = remains as unknown as Exports;
    return watched as unknown as Exports;
  }

  /** The call of an export, always with the same number of parameters, which is what engines are fast at. */
  #watchedCall(call: Call, end: () => unknown): Call {
    return (a, b, c, d, e, f) => {
      if (!this.#isLost) {
        try {
          return call(a, b, c, d, e, f);
        } catch (cause) {
          if (!this.#isLost) this.#cause = cause;
          this.#isLost = true;
        }
      }
      this.#tryToStop();
      return end();
    };
  }

  #tryToStop(): void {
    try {
      this.stop();
    } catch {
      // The stack is exhausted.
    }
  }

  #fail(): never {
    throw this.#error();
  }

  #error(subject: Subject = {}): FindingsError {
    const cause = this.#cause;
    const error = new FindingsError(
      "memory",
      `The WebAssembly module has stopped (${cause instanceof Error ? cause.message : cause}), most likely for want of ` +
        "memory. What it held is lost, tables included; the next call starts it afresh.",
      { ...subject, cause },
    );
    release(cause);
    release(error);
    return error;
  }
}

/** The call of an export that is not begun unless there is stack enough for it. */
function withStack(call: Call): Call {
  return (a, b, c, d, e, f) => {
    needStack();
    return call(a, b, c, d, e, f);
  };
}

/** Makes an error let go of the frames that it came through, which hold the memory: read once, its stack is only text. */
function release(error: unknown): void {
  if (error instanceof Error) void error.stack;
}
