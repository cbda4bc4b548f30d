// The messages between the page and a worker, as types only: neither script gets longer by them. The page gives each request
// and each of its bodies a number. A body that the worker has received and keeps has the number of its request.

/** How a worker sends the requests of a call. */
export interface WorkerInit {
  readonly credentials: RequestCredentials;
  readonly cache: RequestCache;
}

/** A request. */
export interface WorkerRequest extends WorkerInit {
  readonly href: string;
  readonly headers: [string, string][];
  /** The page's URL, so that the service sees the `Referer` of the page's own requests. */
  readonly referrer: string;
  /** The maximum length of a body, in bytes. */
  readonly limit: number;
}

/** How the findings of a call are packed. */
export interface PackingOptions {
  /** Whether they have rows for objects, not columns for a table. */
  readonly asRows: boolean;
  /** The names of the columns to keep, as `option-table.ts` writes them; undefined for all. */
  readonly columns: Uint8Array | undefined;
}

/** A message to a worker. */
export type ToWorker =
  /** The module, which decodes bodies. */
  | { readonly kind: "start"; readonly module: WebAssembly.Module }
  /** Asks whether the worker still responds. */
  | { readonly kind: "ping" }
  | { readonly kind: "fetch"; readonly id: number; readonly request: WorkerRequest }
  /** A body is transferred. Without one, the worker decodes the one that it keeps. */
  | {
      readonly kind: "decode";
      readonly id: number;
      readonly body?: ArrayBuffer | undefined;
      readonly options: PackingOptions;
      /** A buffer for what it packs. */
      readonly spare?: ArrayBuffer | undefined;
    }
  /** Asks for the bytes of a body. */
  | { readonly kind: "take"; readonly id: number }
  /** Ends a request, or drops its body. */
  | { readonly kind: "drop"; readonly id: number };

/** A message from a worker. */
export type FromWorker =
  /** The script runs. */
  | { readonly kind: "awake" }
  /** It has the module. */
  | { readonly kind: "ready" }
  | { readonly kind: "pong" }
  /** The worker has ended. */
  | { readonly kind: "failed"; readonly reason: string }
  | FromDecoder
  | FromRequest;

/** A decoded body: without packed findings, the page decodes it. A body that was transferred returns. */
export type FromDecoder = {
  readonly kind: "decoded";
  readonly id: number;
  readonly packed: Uint8Array | undefined;
  readonly body: ArrayBuffer | undefined;
};

/** A message about a request, or about the body that the worker keeps of it. */
export type FromRequest =
  | WorkerHead
  /** A part of the beginning of a refusal. */
  | { readonly kind: "piece"; readonly id: number; readonly bytes: Uint8Array }
  /** The refusal has been passed on. */
  | { readonly kind: "ended"; readonly id: number }
  /** The worker keeps the body. */
  | { readonly kind: "kept"; readonly id: number; readonly length: number }
  /** The bytes of the body, which the worker no longer keeps. */
  | { readonly kind: "taken"; readonly id: number; readonly body: ArrayBuffer }
  /** The error of `fetch`, or of the body. */
  | { readonly kind: "broken"; readonly id: number; readonly name: string; readonly message: string };

/** The head of a response. */
export interface WorkerHead {
  readonly kind: "head";
  readonly id: number;
  readonly status: number;
  readonly type: ResponseType;
  readonly headers: [string, string][];
}

/** What a request or a body uses of its worker. */
export interface Channel {
  /** Who gets the messages about a request or a body, by its number. */
  readonly receivers: Map<number, Receiver>;
  post(message: ToWorker): void;
}

/** Gets the messages about a request or a body. */
export interface Receiver {
  /** Notes a message. A caller's worker may post anything. */
  receive(message: FromRequest): void;
  /** Notes the end of the worker. */
  lose(): void;
}
