// The requests that a worker sends for the page, and the bodies that it keeps.

import { offModuleStop, onModuleStop } from "../host/cleanup.js";
import { orUndefined } from "../host/member.js";

/** How a worker sends the requests of a call. */
export interface WorkerInit {
  readonly credentials: RequestCredentials;
  readonly cache: RequestCache;
}

/** A request, as a message has it. */
export interface WorkerRequest extends WorkerInit {
  readonly href: string;
  readonly headers: [string, string][];
  /** The page's URL, so that the service sees the `Referer` of the page's own requests. */
  readonly referrer: string;
  /** The maximum length of a body, in bytes. */
  readonly limit: number;
}

/** A message about a request, or about the body that the worker keeps of it. */
export type AboutRequest = ["fetch", id: number, WorkerRequest] | ["take", id: number] | ["drop", id: number];

/** What a worker says about a request: the head of its response, the beginning of a refusal, the length of the body that it keeps, that body, an error. */
export type FromRequest =
  | ["head", id: number, status: number, type: ResponseType, headers: [string, string][]]
  | ["piece", id: number, Uint8Array]
  | ["ended", id: number]
  | ["kept", id: number, length: number]
  | ["taken", id: number, ArrayBuffer]
  | ["broken", id: number, name: string, message: string];

/** The requests of one worker that have not ended, and the bodies that it keeps. */
export class WorkerRequests {
  readonly #post: (message: AboutRequest) => void;
  readonly #responses = new Map<number, WorkerResponse>();
  readonly #bodies = new Map<number, WorkerBody>();
  #lastId = 0;

  constructor(post: (message: AboutRequest) => void) {
    this.#post = post;
  }

  /** Whether the worker sends requests or keeps bodies. */
  get areOpen(): boolean {
    return this.#responses.size + this.#bodies.size > 0;
  }

  /** Lets the worker send a request, until the signal is aborted. Resolves with the response. */
  send(request: WorkerRequest, signal: AbortSignal): Promise<WorkerResponse> {
    const id = ++this.#lastId;
    const response = new WorkerResponse();
    this.#responses.set(id, response);
    signal.addEventListener("abort", () => this.drop(id));
    this.#post(["fetch", id, request]);
    return response.head.promise;
  }

  /** Notes a message of the worker. A caller's worker may post anything. */
  receive(message: FromRequest): void {
    const [kind, id] = message;
    const response = this.#responses.get(id);
    switch (kind) {
      case "head":
        response?.begin(message[2], message[3], message[4]);
        break;
      case "piece":
        response?.add(message[2]);
        break;
      case "ended":
        this.#responses.delete(id);
        response?.end();
        break;
      case "broken":
        this.#responses.delete(id);
        response?.fail(errorOf(message[2], message[3]));
        break;
      case "kept": {
        this.#responses.delete(id);
        if (response === undefined) break;
        const body = new WorkerBody(this, id, Number(message[2]));
        this.#bodies.set(id, body);
        response.keep(body);
        break;
      }
      case "taken": {
        this.#bodies.get(id)?.receive(message[2]);
        this.#bodies.delete(id);
        break;
      }
    }
  }

  /** Asks for the bytes of a body. */
  take({ id }: WorkerBody): void {
    this.#post(["take", id]);
  }

  /** Notes that the worker has decoded a body: if it packed the findings, it no longer keeps the body. */
  decoded(body: WorkerBody, isPacked: boolean): void {
    if (isPacked) this.#bodies.delete(body.id);
    body.endDecoding(!isPacked);
  }

  /** Ends a request, or drops the body that the worker keeps of it. */
  drop(id: number): void {
    const wasOpen = this.#responses.delete(id);
    if (this.#bodies.delete(id) || wasOpen) this.#post(["drop", id]);
  }

  /** Notes the end of the worker, with which all of them are lost. */
  end(): void {
    for (const response of this.#responses.values()) response.fail(undefined);
    for (const body of this.#bodies.values()) body.lose();
    this.#responses.clear();
    this.#bodies.clear();
  }
}

/** The response to a request of a worker. It has the members of a `Response` that the package reads. */
export class WorkerResponse {
  /** Resolves when the head has arrived. Rejects with the error of `fetch`; with undefined if the worker has ended. */
  readonly head = deferred<WorkerResponse>();
  status = 0;
  type: ResponseType = "default";
  headers = new Headers();
  readonly #body = deferred<WorkerBody>();
  readonly #pieces: Uint8Array[] = [];
  #isAtEnd = false;
  #wake = () => {};

  /** The beginning of the body of a refusal. */
  readonly body = { getReader: () => ({ read: () => this.#read(), cancel() {} }), cancel() {} };

  /** Resolves when the worker has the whole body. */
  blob(): Promise<WorkerBody> {
    return this.#body.promise;
  }

  begin(status: number, type: ResponseType, headers: [string, string][]): void {
    this.status = status;
    this.type = type;
    this.headers = orUndefined(() => new Headers(headers)) ?? this.headers;
    this.head.resolve(this);
  }

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#wake();
  }

  keep(body: WorkerBody): void {
    this.#body.resolve(body);
    this.end();
  }

  fail(reason: unknown): void {
    this.head.reject(reason);
    this.#body.reject(reason);
    this.end();
  }

  end(): void {
    this.#isAtEnd = true;
    // A caller's worker may end a response without a head.
    this.head.reject(new TypeError("the worker has sent no response"));
    this.#wake();
  }

  /** However it ends, the pieces that have arrived are the beginning. */
  async #read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> {
    while (this.#pieces.length === 0 && !this.#isAtEnd) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#pieces.shift();
    return { done: value === undefined, value };
  }
}

/** A body that a worker keeps. It has the members of a `Blob` that the package reads. */
export class WorkerBody {
  readonly #requests: WorkerRequests;
  readonly #bytes = deferred<ArrayBuffer>();
  #isDecoding = false;
  #isUnwanted = false;
  #isKept = true;

  constructor(
    requests: WorkerRequests,
    readonly id: number,
    readonly size: number,
  ) {
    this.#requests = requests;
    // A module that has stopped drops nothing.
    onModuleStop(this, () => this.abandon());
  }

  /** Whether the worker still has it. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Transfers its bytes to the page. */
  arrayBuffer(): Promise<ArrayBuffer> {
    if (this.#isKept) this.#requests.take(this);
    else this.lose();
    return this.#bytes.promise;
  }

  /** Notes that the worker decodes it, or will. */
  beginDecoding(): void {
    this.#isDecoding = true;
  }

  /** Notes that the worker has decoded it, or never will. */
  endDecoding(isKept: boolean): void {
    this.#isDecoding = false;
    if (!isKept) this.#leave();
    if (this.#isUnwanted) this.drop();
  }

  /** Lets the worker drop it, unless the worker decodes it. */
  drop(): void {
    if (!this.#isKept || this.#isDecoding) return;
    // Rust would keep what waits for a promise that never settles.
    this.lose();
    this.#requests.drop(this.id);
  }

  /** Lets the worker drop it after decoding it. */
  abandon(): void {
    this.#isUnwanted = true;
    this.drop();
  }

  receive(bytes: ArrayBuffer): void {
    this.#leave();
    // A caller's worker may post anything.
    if (bytes instanceof ArrayBuffer && bytes.byteLength === this.size) this.#bytes.resolve(bytes);
    else this.lose();
  }

  /** Notes that it is lost. */
  lose(): void {
    this.#leave();
    this.#bytes.reject(new Error("the worker has ended"));
  }

  #leave(): void {
    this.#isKept = false;
    offModuleStop(this);
  }
}

interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

/** A promise with the functions that settle it. Its rejection may stay unnoticed. */
function deferred<Value>(): Deferred<Value> {
  let resolve!: Deferred<Value>["resolve"];
  let reject!: Deferred<Value>["reject"];
  const promise = new Promise<Value>((...settle) => {
    [resolve, reject] = settle;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** An error of the worker, as the page would have it. */
function errorOf(name: string, message: string): Error {
  const error = new (name === "TypeError" ? TypeError : Error)(String(message));
  if (error.name !== name) Object.defineProperty(error, "name", { value: name, configurable: true, writable: true });
  return error;
}
