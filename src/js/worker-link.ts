// The link to a worker: starts it, passes messages, and ends it when nobody needs it or when it no longer answers.

import { atStop, forget } from "./cleanup.js";
import { startWorker, workerAddress } from "./worker-script.js";

/** A message from the page to the worker. */
export type ToWorker = ["start", WebAssembly.Module] | ["order", unknown] | ["ping"];

/** A message from the worker to the page. */
export type FromWorker =
  | ["awake"]
  | ["ready"]
  | ["failed", string]
  | ["report", unknown, Uint8Array | undefined]
  | ["pong"]
  | ["stopped"];

/** The source of a worker: `true` for the script beside this one, the address of the script, or a function that makes the worker. */
export type WorkerSource = true | string | (() => Worker);

/** Milliseconds within which a worker has to be ready. */
const START_LIMIT = 10_000;

/** Milliseconds between two looks at the worker. They are counted, not measured: a frozen page must not take its worker for dead. */
const LOOK = 5_000;

/** The looks without an attempt after which the worker ends: 30 seconds. */
const IDLE_LOOKS = 6;

/** The looks during attempts after which the worker counts as dead, if it answers none of them. An idle time between them is no answer. */
const SILENT_LOOKS = 3;

/** A worker, from its start to its end. */
export class WorkerLink {
  /** Resolves when the worker is ready; rejects if it cannot be started. */
  readonly ready: Promise<void>;
  #worker: Worker | undefined;
  #settle: (failure?: Error) => void = () => {};
  #receive: (report: unknown, bytes: Uint8Array | undefined) => void;
  #lost: () => void;
  readonly #attempts: () => number;
  #timers: ReturnType<typeof setTimeout>[] = [];
  #release: () => void = () => {};
  #startIt: () => void = () => {};
  #idleLooks = 0;
  #silentLooks = 0;

  /**
   * @param receive called with each report and its bytes
   * @param lost called once when the worker has ended
   * @param attempts returns the number of attempts under way
   */
  constructor(
    source: WorkerSource,
    module: WebAssembly.Module,
    receive: (report: unknown, bytes: Uint8Array | undefined) => void,
    lost: () => void,
    attempts: () => number,
  ) {
    this.#receive = receive;
    this.#lost = lost;
    this.#attempts = attempts;
    this.ready = new Promise((resolve, reject) => {
      this.#settle = (failure) => (failure === undefined ? resolve() : reject(failure));
    });
    // A call that waits for it reports the failure.
    this.ready.catch(() => {});
    atStop(this, () => this.end());
    try {
      this.#start(source, module);
    } catch (cause) {
      this.#fail(cause instanceof Error ? cause.message : String(cause));
    }
  }

  /** Posts an order. */
  post(order: unknown): void {
    this.#send(["order", order]);
  }

  /** Ends the worker, and calls nothing afterwards. */
  end(): void {
    forget(this);
    this.#receive = () => {};
    this.#lost = () => {};
    this.#clearTimers();
    this.#release();
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#settle(new Error("the worker was ended"));
  }

  #start(source: WorkerSource, module: WebAssembly.Module): void {
    if (typeof Worker !== "function") throw new Error("this environment has no workers");
    const worker = this.#make(source);
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#hear(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#fail(event.message || "its script could not be loaded");
    });
    worker.addEventListener("messageerror", () => this.#fail("a message of it could not be read"));
    this.#timers.push(setTimeout(() => this.#fail(`it did not answer within ${START_LIMIT / 1000} s`), START_LIMIT));
    // Posted again when the script says that it runs: some engines lose what comes before, and a script of the caller's may run it late.
    this.#startIt = () => this.#send(["start", module]);
    this.#startIt();
  }

  #make(source: WorkerSource): Worker {
    if (typeof source === "function") return source();
    try {
      return source === true ? startWorker() : new Worker(source, { type: "module" });
    } catch (cause) {
      return this.#makeByImport(source === true ? workerAddress() : new URL(source, location.href), cause);
    }
  }

  /** Makes a worker from a script of another origin, which only a script of the page's own can import. */
  #makeByImport(address: URL, cause: unknown): Worker {
    if (address.origin === location.origin) throw cause;
    const script = new Blob([`import ${JSON.stringify(address.href)};`], { type: "text/javascript" });
    const imports = URL.createObjectURL(script);
    this.#release = () => URL.revokeObjectURL(imports);
    return new Worker(imports, { type: "module" });
  }

  #hear(message: FromWorker): void {
    this.#silentLooks = 0;
    // A worker of the caller's may post anything.
    if (!Array.isArray(message)) return;
    switch (message[0]) {
      case "awake":
        this.#startIt();
        break;
      case "ready":
        this.#clearTimers();
        this.#timers = [setInterval(() => this.#look(), LOOK)];
        this.#release();
        this.#settle();
        break;
      case "report":
        this.#receive(message[1], message[2]);
        break;
      case "failed":
        this.#fail(message[1]);
        break;
      case "stopped":
        this.#fail("its module has stopped");
        break;
    }
  }

  /** Ends a worker that is idle or dead. */
  #look(): void {
    if (this.#attempts() === 0) {
      if (++this.#idleLooks >= IDLE_LOOKS) this.#fail("it was idle");
      return;
    }
    this.#idleLooks = 0;
    if (++this.#silentLooks > SILENT_LOOKS) this.#fail("it no longer answers");
    else this.#send(["ping"]);
  }

  #fail(reason: string): void {
    const lost = this.#lost;
    this.#settle(new Error(reason));
    this.end();
    lost();
  }

  #clearTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }

  #send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }
}
