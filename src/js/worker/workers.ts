// The workers that send requests and decode bodies. A worker starts with the first call that needs it, and ends when no
// call has used it for a while. Without a worker, the calling thread does the same.

import { offModuleStop, onModuleStop } from "../host/cleanup.js";
import { now } from "../host/clock.js";
import { orUndefined } from "../host/member.js";
import {
  type AboutRequest,
  type FromRequest,
  WorkerBody,
  type WorkerInit,
  WorkerRequests,
  type WorkerResponse,
} from "./worker-requests.js";
import { startWorker } from "./worker-script.js";
import { type Started, startFromUrl } from "./worker-start.js";

/** The source of a worker: `true` for the package's script, the script's URL, or a function that returns the worker. */
export type WorkerSource = true | string | (() => Worker);

/** A message to a worker. A body that the worker keeps has the number of its request. */
export type ToWorker =
  | ["start", WebAssembly.Module]
  | ["decode", number, Blob | ArrayBuffer | number, PackingOptions]
  | ["ping"]
  | AboutRequest;

/** How the findings of a call are packed. */
export interface PackingOptions {
  /** Whether they have rows for objects, not columns for a table. */
  readonly asRows: boolean;
  /** The names of the columns to keep, as `option-table.ts` writes them; undefined for all. */
  readonly columns: Uint8Array | undefined;
}

/** A message from a worker. It returns a transferred body. */
export type FromWorker =
  | ["awake"]
  | ["ready"]
  | ["failed", string]
  | ["done", number, Uint8Array | undefined, ArrayBuffer | undefined]
  | ["pong"]
  | FromRequest;

/** A complete body: the browser or a worker keeps it, or it is in the memory of the page. */
export type CompleteBody = Blob | WorkerBody | ArrayBuffer;

/** The result of decoding a body: its packed findings, if there are any, and the body, unless the worker has lost it. */
export interface Decoded {
  readonly packed?: Uint8Array | undefined;
  readonly body?: CompleteBody | undefined;
}

/** A body that waits for a worker, or that a worker is decoding. */
export interface Decoding {
  readonly result: Promise<Decoded>;
  /** Drops the body, unless the worker already has it. */
  cancel(): void;
}

interface Job {
  readonly id: number;
  readonly body: CompleteBody;
  readonly length: number;
  readonly options: PackingOptions;
  readonly insists: boolean;
  readonly settle: (decoded: Decoded | Promise<Decoded>) => void;
}

/** Milliseconds between two checks of a worker. Checks are counted, because a page that was frozen must not consider its worker dead. */
const CHECK_INTERVAL = 5_000;

/** The number of checks within which a worker has to be ready. */
const START_CHECKS = 3;

/** The number of checks without a call after which a worker ends: 30 seconds. */
const IDLE_CHECKS = 6;

/** After this many unanswered pings while it decodes, a worker is considered dead. Idle time does not count. */
const SILENT_CHECKS = 3;

/** After this many checks without a returned body while it has some, a worker is considered broken: one minute. */
const WORK_CHECKS = 12;

/** How long bodies wait for a worker to start, in milliseconds, unless the call insists on a worker. */
const PATIENCE = 1_000;

/** How long to wait before starting the package's worker again after a failure, in milliseconds, unless a call insists on a worker. */
const REST = 60_000;

/** The number of bodies that a worker has at the same time: it reads the next ones while it decodes one. */
const AHEAD = 3;

/** The workers that run, by source. */
const running = new Map<WorkerSource, DecodingWorker>();

/** When the package's own worker failed last. */
let failedAt = Number.NEGATIVE_INFINITY;
let lastId = 0;

/** Whether a call with this option `worker` cannot get its worker, because the environment has none. */
export function lacksWorkers(option: boolean | string | (() => Worker)): boolean {
  const needsGlobal = option === true || (typeof option === "string" && option !== "auto");
  return needsGlobal && typeof Worker !== "function";
}

/** A call's use of a worker. */
export class WorkerUse {
  readonly #source: WorkerSource;
  readonly #insists: boolean;
  readonly #module: WebAssembly.Module;
  readonly #options: PackingOptions;
  readonly #init: WorkerInit | undefined;
  readonly #limit: number;
  #worker: DecodingWorker | undefined;

  /**
   * Starts the worker of a source unless it runs. A call that insists on a worker fails without one.
   *
   * @param init how the worker sends requests; undefined if the page has to send them
   * @param limit the maximum length of a body
   */
  constructor(
    source: WorkerSource,
    insists: boolean,
    module: WebAssembly.Module,
    asRows = false,
    columns?: Uint8Array,
    init?: WorkerInit,
    limit = 0,
  ) {
    this.#source = source;
    this.#insists = insists;
    this.#module = module;
    this.#options = { asRows, columns };
    this.#init = init;
    this.#limit = limit;
    this.#join();
    onModuleStop(this, () => this.end());
  }

  /** Resolves when the worker is ready, and it is known whether it may send requests; or when it cannot be started. */
  get started(): Promise<void> {
    return this.#worker?.started ?? Promise.resolve();
  }

  /**
   * Returns what lets the worker send a request, until a signal is aborted; undefined if the page has to send it, because
   * the worker is not ready, or a service worker has to see the request.
   */
  sender(href: string, headers: Headers): ((signal: AbortSignal) => Promise<WorkerResponse>) | undefined {
    const [init, worker] = [this.#init, this.#worker];
    if (init === undefined || !worker?.maySend || orUndefined(() => navigator.serviceWorker?.controller))
      return undefined;
    // Without one of these globals, the page sends the request.
    const request = orUndefined(() => ({
      ...init,
      href,
      headers: [...headers],
      referrer: location.href,
      limit: this.#limit,
    }));
    return request && ((signal) => worker.requests.send(request, signal));
  }

  /** Whether a worker may decode the bodies of the call. */
  get mayDecode(): boolean {
    return this.#worker?.mayDecode ?? false;
  }

  /** Decodes a body that the browser or the worker keeps. */
  decodeKept(body: Blob | WorkerBody): Decoding {
    return this.#decode(body);
  }

  /** Decodes a body in the memory of the module. */
  decodeBytes(bytes: Uint8Array): Decoding {
    return this.#decode(bytes.slice().buffer as ArrayBuffer);
  }

  /** Ends the use. An unused worker ends after a while. */
  end(): void {
    offModuleStop(this);
    if (this.#worker !== undefined) this.#worker.uses--;
    this.#worker = undefined;
  }

  /** Joins the running worker or a new one; none if it has failed recently, unless the call insists. */
  #join(): void {
    const rests = !this.#insists && now() - failedAt < REST;
    this.#worker = running.get(this.#source) ?? (rests ? undefined : new DecodingWorker(this.#source, this.#module));
    if (this.#worker !== undefined) this.#worker.uses++;
  }

  #decode(body: CompleteBody): Decoding {
    if (this.#worker?.mayBeReplaced ?? true) this.#join();
    // Unless it is lost, the worker that keeps it has not been replaced.
    if (body instanceof WorkerBody && !body.isKept) return decodedAs(Promise.resolve({}));
    return this.#worker?.decode(body, this.#options, this.#insists) ?? decodedAs(Promise.resolve({ body }));
  }
}

/** A worker that has not reported that it is ready. */
interface Starting {
  readonly name: "starting";
  /** Posts the module. */
  readonly postModule: () => void;
  /** Resolves the promise of the start. */
  readonly settle: () => void;
  readonly patience: ReturnType<typeof setTimeout>;
  /** Whether bodies no longer wait for it, unless their call insists on a worker. */
  isLate: boolean;
  checks: number;
}

/** A worker that decodes, or waits for bodies, with the numbers of checks since it had work, responded, and returned a body. */
interface Ready {
  readonly name: "ready";
  idleChecks: number;
  silentChecks: number;
  workChecks: number;
}

/** A worker that has ended, or could not be started. */
interface Over {
  readonly name: "over";
  /** Why it could not be started; undefined if it was ready before. */
  readonly startFailure: string | undefined;
  /** Whether a call starts another worker in its place: it neither failed to start nor kept its bodies. */
  readonly mayBeReplaced: boolean;
}

/** A worker and the bodies that wait for it. */
class DecodingWorker {
  /** The number of calls that use it. */
  uses = 0;
  /** Resolves when the worker is ready, and it is known whether it may send requests; or when it has ended. */
  readonly started: Promise<void>;
  /** The requests that it sends. */
  readonly requests = new WorkerRequests((message) => this.#send(message));
  readonly #source: WorkerSource;
  #state: Starting | Ready | Over;
  #handle: Started | undefined;
  /** Whether no service worker sees its requests, as far as is known. */
  #isUnseen = false;
  #waiting: Job[] = [];
  readonly #posted = new Map<number, Job>();
  readonly #checks: ReturnType<typeof setInterval>;

  constructor(source: WorkerSource, module: WebAssembly.Module) {
    this.#source = source;
    running.set(source, this);
    let settle = () => {};
    this.started = new Promise((resolve) => {
      settle = resolve;
    });
    const postModule = () => this.#send(["start", module]);
    const patience = setTimeout(() => this.#returnLateBodies(), PATIENCE);
    this.#state = { name: "starting", postModule, settle, patience, isLate: false, checks: 0 };
    this.#checks = setInterval(() => this.#check(), CHECK_INTERVAL);
    try {
      this.#start();
      postModule();
    } catch (cause) {
      this.#end(reasonOf(cause));
    }
  }

  /** Whether a call starts another worker in its place. */
  get mayBeReplaced(): boolean {
    return this.#state.name === "over" && this.#state.mayBeReplaced;
  }

  /** Whether it can send requests. */
  get maySend(): boolean {
    return this.#state.name === "ready" && this.#isUnseen;
  }

  /** Whether it, or another worker in its place, may decode bodies. */
  get mayDecode(): boolean {
    const state = this.#state;
    return this.mayBeReplaced || state.name === "ready" || (state.name === "starting" && !state.isLate);
  }

  /** Decodes a body as soon as the worker has room for it. */
  decode(body: CompleteBody, options: PackingOptions, insists: boolean): Decoding {
    const state = this.#state;
    if (state.name === "over") return decodedAs(handedBack(body, insists, state));
    if (state.name === "ready") state.idleChecks = 0;
    else if (state.isLate && !insists) return decodedAs(Promise.resolve({ body }));
    const length = "size" in body ? body.size : body.byteLength;
    const id = ++lastId;
    if (body instanceof WorkerBody) body.beginDecoding();
    const result = new Promise<Decoded>((settle) => {
      this.#waiting.push({ id, body, length, options, insists, settle });
      this.#post();
    });
    return { result, cancel: () => this.#cancel(id) };
  }

  #start(): void {
    this.#handle = startedFrom(this.#source);
    const { worker } = this.#handle;
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#receive(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#end(event.message || "its script could not be loaded");
    });
    worker.addEventListener("messageerror", () => this.#end("a message of it could not be read"));
  }

  #receive(message: FromWorker): void {
    const state = this.#state;
    if (state.name === "ready") state.silentChecks = 0;
    // A caller's worker may post anything, also after it has been ended.
    if (state.name === "over" || !Array.isArray(message)) return;
    switch (message[0]) {
      case "awake":
        // Again: some engines lose messages from before the script runs, and a caller's script may start late.
        if (state.name === "starting") state.postModule();
        break;
      case "ready":
        if (state.name !== "starting") break;
        this.#state = { name: "ready", idleChecks: 0, silentChecks: 0, workChecks: 0 };
        this.#leaveStart(state);
        this.#post();
        void isSeen(this.#handle?.url).then((isSeen) => {
          this.#isUnseen = !isSeen;
          state.settle();
        });
        break;
      case "done": {
        const [, id, packed, returned] = message;
        const job = this.#posted.get(id);
        if (job === undefined) break;
        this.#posted.delete(id);
        if (state.name === "ready") state.workChecks = 0;
        if (job.body instanceof WorkerBody) this.requests.decoded(job.body, packed !== undefined);
        job.settle({ packed, body: keptBody(job) ?? (returned?.byteLength === job.length ? returned : undefined) });
        this.#post();
        break;
      }
      case "failed":
        this.#end(String(message[1]));
        break;
      case "pong":
        break;
      default:
        this.requests.receive(message);
    }
  }

  /** Notes that nobody waits for a body any more. */
  #cancel(id: number): void {
    const [unposted] = this.#take((job) => job.id === id);
    const { body } = unposted ?? this.#posted.get(id) ?? {};
    if (body instanceof WorkerBody) {
      body.abandon();
      if (unposted !== undefined) body.endDecoding(true);
    }
    unposted?.settle({});
  }

  /** Posts the bodies that the worker has room for. */
  #post(): void {
    for (;;) {
      const state = this.#state;
      if (state.name !== "ready" || this.#posted.size >= AHEAD) return;
      const job = this.#waiting.shift();
      if (job === undefined) return;
      this.#posted.set(job.id, job);
      const body = job.body instanceof WorkerBody ? job.body.id : job.body;
      this.#send(["decode", job.id, body, job.options], body instanceof ArrayBuffer ? [body] : []);
    }
  }

  /** Returns the bodies that have waited too long for the start. */
  #returnLateBodies(): void {
    if (this.#state.name === "starting") this.#state.isLate = true;
    for (const job of this.#take(({ insists }) => !insists)) job.settle({ body: job.body });
  }

  /** Takes some of the waiting bodies. */
  #take(which: (job: Job) => boolean): Job[] {
    const taken = this.#waiting.filter(which);
    this.#waiting = this.#waiting.filter((job) => !taken.includes(job));
    return taken;
  }

  /** Ends a worker that does not start, is idle, or is dead. */
  #check(): void {
    const state = this.#state;
    if (state.name === "over") return;
    if (state.name === "starting") {
      if (++state.checks >= START_CHECKS) this.#end("it did not respond in time");
    } else if (this.#posted.size > 0 || this.requests.areOpen) {
      if (++state.silentChecks > SILENT_CHECKS) this.#end("it no longer responds");
      else if (this.#posted.size > 0 && ++state.workChecks > WORK_CHECKS)
        this.#end("it does not return the bodies that it gets");
      else this.#send(["ping"]);
    } else if (this.uses > 0) state.idleChecks = 0;
    else if (++state.idleChecks >= IDLE_CHECKS) this.#end();
  }

  /** Ends the worker, because it has failed or is idle. */
  #end(failure?: string): void {
    const state = this.#state;
    if (state.name === "over") return;
    const isReady = state.name === "ready";
    const startFailure = isReady ? undefined : failure;
    const over: Over = { name: "over", startFailure, mayBeReplaced: isReady && state.workChecks <= WORK_CHECKS };
    this.#state = over;
    running.delete(this.#source);
    if (failure !== undefined && this.#source === true) failedAt = now();
    clearInterval(this.#checks);
    // A caller's worker may throw.
    orUndefined(() => this.#handle?.worker.terminate());
    this.requests.end();
    for (const job of this.#posted.values()) job.settle({ body: keptBody(job) });
    this.#posted.clear();
    for (const { body, insists, settle } of this.#waiting) settle(handedBack(body, insists, over));
    if (isReady) return;
    this.#leaveStart(state);
    state.settle();
  }

  #leaveStart({ patience }: Starting): void {
    clearTimeout(patience);
    this.#handle?.release();
  }

  /** Posts a message. A worker that does not take it ends. */
  #send(message: ToWorker, transfer: Transferable[] = []): void {
    try {
      this.#handle?.worker.postMessage(message, transfer);
    } catch (cause) {
      this.#end(`it does not take messages: ${reasonOf(cause)}`);
    }
  }
}

function startedFrom(source: WorkerSource): Started {
  if (typeof source === "function") return { worker: checked(source()), release() {} };
  return source === true ? startWorker() : startFromUrl(source);
}

/**
 * Whether a service worker may see the requests of a worker with this script although it does not control the page, as
 * after a reload past the cache. A worker with a script from a blob has the page's service worker.
 */
async function isSeen(script: string | undefined): Promise<boolean> {
  try {
    const { serviceWorker } = navigator;
    if (script === undefined) return (await serviceWorker.getRegistrations()).length > 0;
    const { href, protocol } = new URL(script, document.baseURI);
    // Chromium ends a page that asks about a blob.
    return /^https?:$/.test(protocol) && (await serviceWorker.getRegistration(href)) !== undefined;
  } catch {
    // There are no service workers here, or there is no document.
    return false;
  }
}

/** Checks what a caller's function returns, which may be a promise of a worker. */
function checked(worker: Worker | undefined): Worker {
  if (typeof worker?.postMessage !== "function" || typeof worker.terminate !== "function") {
    throw new TypeError("the function must return a Worker, not a promise or another value");
  }
  return worker;
}

/** Why something failed, in words. A caller's worker may throw anything. */
function reasonOf(cause: unknown): string {
  return orUndefined(() => String(cause instanceof Error ? cause.message : cause)) ?? "it threw a value without text";
}

/**
 * The body of a job that was posted to a worker, if it is still there: a blob is only a handle, a buffer that was
 * transferred is empty, and the worker may have ended with a body that it keeps.
 */
function keptBody({ body, length }: Job): CompleteBody | undefined {
  if (body instanceof WorkerBody) return body.isKept ? body : undefined;
  const isThere = !(body instanceof ArrayBuffer) || (length > 0 && body.byteLength === length);
  return isThere ? body : undefined;
}

/** The result for a body that did not reach the worker before it ended. */
async function handedBack(body: CompleteBody, insists: boolean, { startFailure }: Over): Promise<Decoded> {
  if (insists && startFailure !== undefined) throw new Error(startFailure);
  return body instanceof WorkerBody ? {} : { body };
}

/** The result for a body that is no longer needed. */
function decodedAs(result: Promise<Decoded>): Decoding {
  return { result, cancel() {} };
}
