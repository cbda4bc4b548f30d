// The worker that runs. It starts with the first call that needs it, and ends when no call has used it for a while.
// Without a worker, the calling thread does the same.

import { now } from "../host/clock.js";
import { isObject, orUndefined, thrownText } from "../host/member.js";
import { deferred } from "../host/promise.js";
import type { KeptBody } from "./body.js";
import type { Exchange } from "./exchange.js";
import { after, type Event, type Load, STARTING } from "./health.js";
import type {
  Channel,
  FromDecoder,
  FromWorker,
  PackingOptions,
  Receiver,
  ToWorker,
  WorkerRequest,
} from "./protocol.js";
import { isSeen } from "./service-worker.js";
import { WorkerExchange } from "./worker-exchange.js";
import { startWorker } from "./worker-script.js";
import type { Started } from "./worker-start.js";

/** The result of decoding a body: its packed findings, if there are any, and the body, unless the worker has lost it. */
export interface Decoded {
  readonly packed?: Uint8Array | undefined;
  readonly body?: KeptBody | undefined;
}

/** A body that waits for a worker, or that a worker is decoding. */
interface Job {
  readonly id: number;
  readonly body: KeptBody;
  readonly options: PackingOptions;
  readonly insists: boolean;
  readonly settle: (decoded: Decoded | Promise<Decoded>) => void;
}

/** Milliseconds between two checks of a worker. */
const CHECK_INTERVAL = 5_000;

/** How long bodies wait for a worker to start, in milliseconds, unless the call insists on a worker. */
const PATIENCE = 1_000;

/** How long to wait before starting a worker again after a failure, in milliseconds, unless a call insists on a worker. */
const REST = 60_000;

/** The number of bodies that a worker has at the same time: it reads the next ones while it decodes one. */
const AHEAD = 3;

/** The worker that runs. */
let running: PooledWorker | undefined;

/** When a worker failed last. */
let failedAt = Number.NEGATIVE_INFINITY;

/** The number of the last request or body. */
let lastId = 0;

/** Returns the running worker, or a new one; none if it has failed recently, unless the call insists. */
export function joinPool(insists: boolean, module: WebAssembly.Module): PooledWorker | undefined {
  const rests = !insists && now() - failedAt < REST;
  return running ?? (rests ? undefined : new PooledWorker(module));
}

/** Returns a body that no worker decodes, and that may be lost; with a failure, the call fails, because it insists on a worker. */
export async function notDecoded(body: KeptBody, failure?: string): Promise<Decoded> {
  if (failure !== undefined) throw new Error(failure);
  return unpacked(body);
}

/** A worker, and the bodies that wait for it. */
export class PooledWorker implements Channel {
  /** The number of calls that use it. */
  uses = 0;
  readonly receivers = new Map<number, Receiver>();
  readonly #module: WebAssembly.Module;
  readonly #start = deferred<void>();
  #health = STARTING;
  /** Why it could not be started. */
  #startFailure: string | undefined;
  #handle: Started | undefined;
  /** Whether no service worker sees its requests, as far as is known. */
  #isUnseen = false;
  #waiting: Job[] = [];
  readonly #posted = new Map<number, Job>();
  /** The buffers of packed findings that have been taken. */
  readonly #spare: ArrayBuffer[] = [];
  #patience = setTimeout(() => this.#note("waited"), PATIENCE);
  #checks = setInterval(() => this.#note("checked"), CHECK_INTERVAL);

  constructor(module: WebAssembly.Module) {
    this.#module = module;
    running = this;
    try {
      this.#handle = startWorker();
      const { worker } = this.#handle;
      worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#receive(data));
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        this.#note("broken", event.message || "its script could not be loaded");
      });
      worker.addEventListener("messageerror", () => this.#note("broken", "a message of it could not be read"));
      // Again when the script runs: some engines lose messages from before, and a caller's script may start late.
      this.#postModule();
    } catch (cause) {
      this.#note("broken", thrownText(cause));
    }
  }

  /** Resolves when the worker is ready, and it is known whether it may send requests; or when it has ended. */
  get started(): Promise<void> {
    return this.#start.promise;
  }

  /** Whether a call starts another worker in its place. */
  get mayBeReplaced(): boolean {
    return this.#health.state === "ended";
  }

  /** Whether it can send requests. */
  get maySend(): boolean {
    return this.#health.state === "ready" && this.#isUnseen;
  }

  /** Sends a request. */
  send(request: WorkerRequest): Exchange {
    return new WorkerExchange(this, ++lastId, request);
  }

  /** Decodes a body as soon as the worker has room for it. */
  async decode(body: KeptBody, options: PackingOptions, insists: boolean): Promise<Decoded> {
    const { state } = this.#health;
    const waits = ["starting", "ready", insists && "late"].includes(state);
    if (!waits || !body.isThere) return notDecoded(body, insists ? this.#startFailure : undefined);
    this.#note("used");
    const { promise, resolve } = deferred<Decoded>();
    this.#waiting.push({ id: body.id ?? ++lastId, body, options, insists, settle: resolve });
    this.#postBodies();
    return promise;
  }

  /** Takes back the buffer of packed findings. */
  takeBack({ buffer }: Uint8Array): void {
    if (this.#spare.length < AHEAD && buffer instanceof ArrayBuffer) this.#spare.push(buffer);
  }

  /** Posts a message. A worker that does not take it ends. */
  post(message: ToWorker, transfer: Transferable[] = []): void {
    try {
      this.#handle?.worker.postMessage(message, transfer);
    } catch (cause) {
      this.#note("broken", `it does not take messages: ${thrownText(cause)}`);
    }
  }

  /** A caller's worker may post anything, also after it has been ended. */
  #receive(message: FromWorker): void {
    if (!isObject(message)) return;
    this.#note("responded");
    switch (message.kind) {
      case "awake":
      case "ready":
        this.#note(message.kind);
        break;
      case "failed":
        this.#note("broken", String(message.reason));
        break;
      case "decoded":
        this.#finish(message);
        break;
      case "pong":
        break;
      default:
        this.receivers.get(message.id)?.receive(message);
    }
  }

  /** Does what an event means for the worker; `brokenBy` is what broke it. */
  #note(event: Event, brokenBy?: string): void {
    const [health, action, failure] = after(this.#health, event, this.#load, brokenBy);
    this.#health = health;
    switch (action) {
      case "start":
        this.#postModule();
        break;
      case "begin":
        this.#leaveStart();
        this.#postBodies();
        void isSeen(this.#handle?.url).then((isSeen) => {
          this.#isUnseen = !isSeen;
          this.#start.resolve();
        });
        break;
      case "return":
        for (const job of this.#take(({ insists }) => !insists)) job.settle(unpacked(job.body));
        break;
      case "ping":
        this.post({ kind: "ping" });
        break;
      case "end":
        this.#end(failure);
    }
  }

  get #load(): Load {
    if (this.#posted.size > 0) return "bodies";
    if (this.receivers.size > 0) return "requests";
    return this.uses > 0 ? "idle" : "unused";
  }

  #postModule(): void {
    this.post({ kind: "start", module: this.#module });
  }

  /** Posts the bodies that the worker has room for. */
  #postBodies(): void {
    while (this.#health.state === "ready" && this.#posted.size < AHEAD) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      const { id, body, options } = job;
      // The attempt has ended, or a caller's worker has given the body back.
      if (!body.isThere) {
        job.settle({});
        continue;
      }
      this.#posted.set(id, job);
      const bytes = body.give?.();
      let spare = this.#spare.pop();
      // A caller's listener may have transferred it, and then it cannot be posted.
      if (spare?.byteLength === 0) spare = undefined;
      const transfer = [bytes, spare].filter((buffer) => buffer !== undefined);
      this.post({ kind: "decode", id, body: bytes, options, spare }, transfer);
    }
  }

  /** Notes that a body has been decoded. */
  #finish({ id, packed, body: returned }: FromDecoder): void {
    const job = this.#posted.get(id);
    if (job === undefined) return;
    this.#posted.delete(id);
    this.#note("returned");
    job.body.decoded(packed !== undefined, returned);
    job.settle({ packed, ...unpacked(job.body) });
    this.#postBodies();
  }

  /** Takes some of the waiting bodies. */
  #take(which: (job: Job) => boolean): Job[] {
    const taken = this.#waiting.filter(which);
    this.#waiting = this.#waiting.filter((job) => !taken.includes(job));
    return taken;
  }

  #end(failure: string | undefined): void {
    if (failure !== undefined) failedAt = now();
    if (this.#health.state === "failed") this.#startFailure = failure;
    running = undefined;
    clearInterval(this.#checks);
    this.#leaveStart();
    // A caller's worker may throw.
    orUndefined(() => this.#handle?.worker.terminate());
    for (const receiver of this.receivers.values()) receiver.lose();
    for (const { body, settle } of this.#posted.values()) settle(unpacked(body));
    this.#posted.clear();
    for (const { body, insists, settle } of this.#take(() => true)) {
      settle(notDecoded(body, insists ? this.#startFailure : undefined));
    }
    this.#start.resolve();
  }

  #leaveStart(): void {
    clearTimeout(this.#patience);
    this.#handle?.release();
  }
}

/** The result for a body that was not decoded, if it is still there. */
function unpacked(body: KeptBody): Decoded {
  return { body: body.isThere ? body : undefined };
}
