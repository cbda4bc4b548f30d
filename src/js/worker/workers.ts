// The workers that decode bodies. A worker starts with the first call that needs it, and ends when no call has used it
// for a while. Without a worker, or if the worker returns a body undecoded, the calling thread decodes the body.

import { startWorker } from "./worker-script.js";
import { type Started, startFromUrl } from "./worker-start.js";

/** The source of a worker: `true` for the package's script, the script's URL, or a function that returns the worker. */
export type WorkerSource = true | string | (() => Worker);

/** A message from the page to a worker. */
export type ToWorker = ["start", WebAssembly.Module] | ["decode", number, Blob | ArrayBuffer, ParcelOptions] | ["ping"];

/** What the parcels of a call have. */
export interface ParcelOptions {
  /** Whether they have rows for objects, not columns for a table. */
  readonly asRows: boolean;
  /** The names of the columns to keep, as `option-table.ts` writes them; undefined for all. */
  readonly columns: Uint8Array | undefined;
}

/** A message from a worker to the page. It returns a transferred body. */
export type FromWorker =
  | ["awake"]
  | ["ready"]
  | ["failed", string]
  | ["done", number, Uint8Array | undefined, ArrayBuffer | undefined]
  | ["pong"];

/** The result of decoding a body: its parcel, if there is one, and the body, unless the worker has lost it. */
export interface Decoded {
  readonly parcel?: Uint8Array | undefined;
  readonly body?: Blob | ArrayBuffer | undefined;
}

/** A body that waits for a worker, or that a worker is decoding. */
export interface Decoding {
  readonly result: Promise<Decoded>;
  /** Drops the body, unless the worker already has it. */
  cancel(): void;
}

interface Job {
  readonly id: number;
  readonly body: Blob | ArrayBuffer;
  readonly length: number;
  readonly options: ParcelOptions;
  readonly insists: boolean;
  readonly settle: (decoded: Decoded | Promise<Decoded>) => void;
}

/** Milliseconds between two checks of a worker. Checks are counted, because a page that was frozen must not consider its worker dead. */
const LOOK = 5_000;

/** The number of checks within which a worker has to be ready. */
const START_LOOKS = 3;

/** The number of checks without a call after which a worker ends: 30 seconds. */
const IDLE_LOOKS = 6;

/** After this many unanswered pings while it decodes, a worker is considered dead. Idle time does not count. */
const SILENT_LOOKS = 3;

/** How long bodies wait for a worker to start, in milliseconds, unless the call insists on a worker. */
const PATIENCE = 1_000;

/** How long to wait before trying a failed source again, in milliseconds, unless a call insists on a worker. */
const REST = 60_000;

/** The number of bodies that a worker has at the same time: it reads the next ones while it decodes one. */
const AHEAD = 3;

const slots = new Map<WorkerSource, Slot>();
let lastId = 0;

/** Whether this thread is a page, not a worker. */
export function isPage(): boolean {
  return typeof document === "object";
}

/** A call's use of a worker. */
export class WorkerUse {
  readonly #slot: Slot;
  readonly #insists: boolean;
  readonly #module: WebAssembly.Module;
  readonly #options: ParcelOptions;
  #worker: DecodingWorker | undefined;

  /** Starts the worker of a source unless it runs. A call that insists on a worker fails without one. */
  constructor(
    source: WorkerSource,
    insists: boolean,
    module: WebAssembly.Module,
    asRows = false,
    columns?: Uint8Array,
  ) {
    this.#slot = slots.get(source) ?? new Slot(source);
    this.#insists = insists;
    this.#module = module;
    this.#options = { asRows, columns };
    this.#slot.uses++;
    this.#worker = this.#slot.worker(insists, module);
  }

  /** Resolves when the worker is ready, or cannot be started. */
  get started(): Promise<void> {
    return this.#worker?.started ?? Promise.resolve();
  }

  /** Decodes a body that the browser keeps. */
  decodeBlob(body: Blob): Decoding {
    return this.#decode(body);
  }

  /** Decodes a body in the memory of the module. */
  decodeBytes(bytes: Uint8Array): Decoding {
    return this.#decode(bytes.slice().buffer as ArrayBuffer);
  }

  /** Ends the use. An unused worker ends after a while. */
  end(): void {
    this.#slot.uses--;
    this.#slot.tidy();
  }

  #decode(body: Blob | ArrayBuffer): Decoding {
    // A call restarts a worker that has ended, but not one that failed to start.
    if (!this.#worker?.isRefused) this.#worker = this.#slot.worker(this.#insists, this.#module);
    return this.#worker?.decode(body, this.#options, this.#insists) ?? decodedAs(Promise.resolve({ body }));
  }
}

/** A source and its worker. */
class Slot {
  /** The number of calls that use it. */
  uses = 0;
  readonly #source: WorkerSource;
  #worker: DecodingWorker | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(source: WorkerSource) {
    this.#source = source;
    slots.set(source, this);
  }

  /** Returns the running worker or a new one; undefined if it has failed recently, unless the call insists. */
  worker(insists: boolean, module: WebAssembly.Module): DecodingWorker | undefined {
    if (this.#worker?.isOver === false) return this.#worker;
    if (!insists && performance.now() - this.#failedAt < REST) return undefined;
    slots.set(this.#source, this);
    this.#worker = new DecodingWorker(
      this.#source,
      module,
      () => this.uses > 0,
      (hasFailed) => {
        if (hasFailed) this.#failedAt = performance.now();
        this.tidy();
      },
    );
    return this.#worker;
  }

  /** Drops an unused source. */
  tidy(): void {
    const isIdle = this.uses === 0 && this.#worker?.isOver !== false;
    if (isIdle && performance.now() - this.#failedAt >= REST) slots.delete(this.#source);
  }
}

/** A worker and the bodies that wait for it. */
class DecodingWorker {
  /** Whether it has ended, or could not be started. */
  isOver = false;
  /** Resolves when the worker is ready, or has ended. */
  readonly started: Promise<void>;
  #worker: Worker | undefined;
  #isReady = false;
  #failure: string | undefined;
  #isLate = false;
  #waiting: Job[] = [];
  readonly #posted = new Map<number, Job>();
  readonly #isUsed: () => boolean;
  readonly #ended: (hasFailed: boolean) => void;
  #release: () => void = () => {};
  #startIt: () => void = () => {};
  #settleStart: () => void = () => {};
  readonly #looks: ReturnType<typeof setInterval>;
  readonly #patience: ReturnType<typeof setTimeout>;
  #startLooks = 0;
  #idleLooks = 0;
  #silentLooks = 0;

  constructor(
    source: WorkerSource,
    module: WebAssembly.Module,
    isUsed: () => boolean,
    ended: (hasFailed: boolean) => void,
  ) {
    this.#isUsed = isUsed;
    this.#ended = ended;
    this.started = new Promise((resolve) => {
      this.#settleStart = resolve;
    });
    this.#looks = setInterval(() => this.#look(), LOOK);
    this.#patience = setTimeout(() => this.#losePatience(), PATIENCE);
    try {
      this.#start(source, module);
    } catch (cause) {
      this.#end(cause instanceof Error ? cause.message : String(cause));
    }
  }

  /** Whether it could not be started. */
  get isRefused(): boolean {
    return this.isOver && !this.#isReady;
  }

  /** Decodes a body as soon as the worker has room for it. */
  decode(body: Blob | ArrayBuffer, options: ParcelOptions, insists: boolean): Decoding {
    this.#idleLooks = 0;
    if (this.isOver) return decodedAs(this.#handedBack(body, insists));
    if (this.#isLate && !insists) return decodedAs(Promise.resolve({ body }));
    const length = body instanceof Blob ? body.size : body.byteLength;
    const id = ++lastId;
    const result = new Promise<Decoded>((settle) => {
      this.#waiting.push({ id, body, length, options, insists, settle });
      this.#post();
    });
    return { result, cancel: () => this.#take((job) => job.id === id) };
  }

  #start(source: WorkerSource, module: WebAssembly.Module): void {
    if (typeof Worker !== "function") throw new Error("this environment has no workers");
    const { worker, release } = startedFrom(source);
    this.#worker = worker;
    this.#release = release;
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#hear(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#end(event.message || "its script could not be loaded");
    });
    worker.addEventListener("messageerror", () => this.#end("a message of it could not be read"));
    // Posted again when the script reports that it runs: some engines lose earlier messages, and a caller's script may
    // start late.
    this.#startIt = () => this.#send(["start", module]);
    this.#startIt();
  }

  #hear(message: FromWorker): void {
    this.#silentLooks = 0;
    // A caller's worker may post anything.
    if (!Array.isArray(message)) return;
    switch (message[0]) {
      case "awake":
        this.#startIt();
        break;
      case "ready":
        this.#isReady = true;
        this.#isLate = false;
        clearTimeout(this.#patience);
        this.#release();
        this.#settleStart();
        this.#post();
        break;
      case "done": {
        const [, id, parcel, returned] = message;
        const job = this.#posted.get(id);
        if (job === undefined) break;
        this.#posted.delete(id);
        job.settle({ parcel, body: keptBody(job) ?? (returned?.byteLength === job.length ? returned : undefined) });
        this.#post();
        break;
      }
      case "failed":
        this.#end(String(message[1]));
        break;
    }
  }

  /** Posts the bodies that the worker has room for. */
  #post(): void {
    while (this.#isReady && this.#posted.size < AHEAD) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      this.#posted.set(job.id, job);
      this.#send(["decode", job.id, job.body, job.options], job.body instanceof Blob ? [] : [job.body]);
    }
  }

  /** Returns the bodies that have waited too long for the start. */
  #losePatience(): void {
    this.#isLate = true;
    for (const job of this.#take(({ insists }) => !insists)) job.settle({ body: job.body });
  }

  /** Takes some of the waiting bodies. */
  #take(which: (job: Job) => boolean): Job[] {
    const taken = this.#waiting.filter(which);
    this.#waiting = this.#waiting.filter((job) => !taken.includes(job));
    return taken;
  }

  /** Ends a worker that does not start, is idle, or is dead. */
  #look(): void {
    if (!this.#isReady) {
      if (++this.#startLooks >= START_LOOKS) this.#end("it did not respond in time");
    } else if (this.#posted.size > 0) {
      if (++this.#silentLooks > SILENT_LOOKS) this.#end("it no longer responds");
      else this.#send(["ping"]);
    } else if (this.#isUsed()) this.#idleLooks = 0;
    else if (++this.#idleLooks >= IDLE_LOOKS) this.#end();
  }

  /** Ends the worker, because it has failed or is idle. */
  #end(failure?: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#failure = failure;
    clearInterval(this.#looks);
    clearTimeout(this.#patience);
    this.#release();
    this.#worker?.terminate();
    for (const job of this.#posted.values()) job.settle({ body: keptBody(job) });
    for (const { body, insists, settle } of this.#waiting) settle(this.#handedBack(body, insists));
    this.#settleStart();
    this.#ended(failure !== undefined);
  }

  /** The result for a body that did not reach the worker before it ended. */
  async #handedBack(body: Blob | ArrayBuffer, insists: boolean): Promise<Decoded> {
    if (insists && this.isRefused) throw new Error(this.#failure);
    return { body };
  }

  #send(message: ToWorker, transfer: Transferable[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }
}

function startedFrom(source: WorkerSource): Started {
  if (typeof source === "function") return { worker: source(), release() {} };
  return source === true ? startWorker() : startFromUrl(source);
}

/** The body of a job that was posted to a worker: a blob is only a handle, but a buffer was transferred. */
function keptBody({ body }: Job): Blob | undefined {
  return body instanceof Blob ? body : undefined;
}

/** The result for a body that is no longer needed. */
function decodedAs(result: Promise<Decoded>): Decoding {
  return { result, cancel() {} };
}
