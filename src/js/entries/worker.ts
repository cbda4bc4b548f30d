// The worker's script: sends requests for the page, and decodes bodies with the module that the page has compiled. It needs
// no glue, because only numbers cross.

import type { Exports } from "../engine/engine.js";
import { thrownText } from "../host/member.js";
import { yieldNow } from "../host/yield_now.js";
import { isSuccess } from "../worker/exchange.js";
import type { FromWorker, PackingOptions, ToWorker, WorkerRequest } from "../worker/protocol.js";

/** The members of a worker's global object that the DOM library's types lack. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: MessageEvent<ToWorker>) => void): void;
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  close(): void;
}

type Decoder = Pick<
  Exports,
  "memory" | "beginBody" | "keepColumns" | "decodeMore" | "packedStart" | "packedLength" | "endBody"
>;

/** The maximum number of bytes of a refusal that the page reads, for the messages in it. */
const EXCERPT_LIMIT = 16 * 1024;

const scope = globalThis as unknown as WorkerScope;
/** The requests that have not ended, each with its number. */
const requests = new Map<number, AbortController>();
/** The bodies that the page has neither taken nor dropped, by the number of their request, as pieces. */
const bodies = new Map<number, Uint8Array[]>();
let decoder: Promise<Decoder> | undefined;
/** Resolves when the last body is decoded. Bodies are decoded one after the other, which needs the least memory. */
let last: Promise<void> = Promise.resolve();

scope.addEventListener("message", ({ data: message }) => {
  switch (message.kind) {
    case "start":
      decoder ??= start(message.module);
      decoder.then(() => post({ kind: "ready" })).catch(fail);
      break;
    case "decode": {
      const { id, body, options } = message;
      last = last.then(() => decode(id, body, options));
      last.catch(fail);
      break;
    }
    case "fetch":
      void send(message.id, message.request);
      break;
    case "take": {
      const { id } = message;
      const body = bufferOf(bodies.get(id) ?? []);
      bodies.delete(id);
      post({ kind: "taken", id, body }, [body]);
      break;
    }
    case "drop":
      requests.get(message.id)?.abort();
      requests.delete(message.id);
      bodies.delete(message.id);
      break;
    case "ping":
      post({ kind: "pong" });
      break;
  }
});

post({ kind: "awake" });

async function start(module: WebAssembly.Module): Promise<Decoder> {
  const imports: Record<string, Record<string, () => never>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] = { ...imports[from], [name]: neverCalled };
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  return exports as unknown as Decoder;
}

/** Sends a request. The page gets its head, and its body stays here. */
async function send(id: number, { href, limit, ...init }: WorkerRequest): Promise<void> {
  const controller = new AbortController();
  requests.set(id, controller);
  try {
    // A followed redirect could carry credentials to another origin.
    const response = await fetch(href, { ...init, method: "GET", redirect: "manual", signal: controller.signal });
    const { status, type, headers } = response;
    post({ kind: "head", id, status, type, headers: [...headers] });
    await (isSuccess(status) ? keep(id, response, limit) : passOn(id, response));
  } catch (cause) {
    const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
    if (requests.has(id)) post({ kind: "broken", id, name, message });
  } finally {
    requests.delete(id);
  }
}

/** Reads the whole body and keeps it; of a body that is too long, a little more than the limit. */
async function keep(id: number, response: Response, limit: number): Promise<void> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  await eachPiece(response, (piece) => {
    pieces.push(piece);
    length += piece.length;
    return length <= limit;
  });
  if (!requests.has(id)) return;
  bodies.set(id, pieces);
  post({ kind: "kept", id, length });
}

/** Posts the beginning of the body of a refusal. */
async function passOn(id: number, response: Response): Promise<void> {
  let length = 0;
  await eachPiece(response, (piece) => {
    const bytes = piece.slice(0, EXCERPT_LIMIT - length);
    length += bytes.length;
    post({ kind: "piece", id, bytes }, [bytes.buffer]);
    return length < EXCERPT_LIMIT;
  });
  post({ kind: "ended", id });
}

/** Reads a body until `take` returns false. */
async function eachPiece({ body }: Response, take: (piece: Uint8Array) => boolean): Promise<void> {
  const reader = body?.getReader();
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return;
    if (!take(value)) return reader?.cancel();
  }
}

function bufferOf(pieces: Uint8Array[]): ArrayBuffer {
  const bytes = new Uint8Array(lengthOf(pieces));
  write(pieces, bytes);
  return bytes.buffer;
}

function write(pieces: Uint8Array[], target: Uint8Array): void {
  let start = 0;
  for (const piece of pieces) {
    target.set(piece, start);
    start += piece.length;
  }
}

function lengthOf(pieces: Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Decodes a body and posts its packed findings; without them, the main thread decodes the body and creates the error. */
async function decode(id: number, body: ArrayBuffer | undefined, options: PackingOptions): Promise<void> {
  const pieces = body === undefined ? bodies.get(id) : [new Uint8Array(body)];
  const packed = pieces && (await packedFrom(pieces, options));
  if (packed !== undefined) bodies.delete(id);
  const transfer = [packed?.buffer, body].filter((buffer) => buffer !== undefined);
  post({ kind: "decoded", id, packed, body }, transfer);
}

async function packedFrom(
  pieces: Uint8Array[],
  { asRows, columns }: PackingOptions,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (decoder === undefined) return undefined;
  const { memory, beginBody, keepColumns, decodeMore, packedStart, packedLength, endBody } = await decoder;
  const length = lengthOf(pieces);
  const start = beginBody(length + (columns?.length ?? 0), Number(asRows), Math.random()) >>> 0;
  if (start === 0) return undefined;
  write(pieces, new Uint8Array(memory.buffer, start, length));
  if (columns !== undefined) {
    new Uint8Array(memory.buffer, start + length, columns.length).set(columns);
    keepColumns(length);
  }
  // Yields, so that the worker can respond to pings.
  while (decodeMore() === 0) await yieldNow();
  const packed = packedStart() >>> 0;
  const copy = packed === 0 ? undefined : new Uint8Array(memory.buffer, packed, packedLength() >>> 0).slice();
  endBody();
  return copy;
}

/** Ends the worker after an error, because the module is in an unknown state. */
function fail(cause: unknown): void {
  post({ kind: "failed", reason: thrownText(cause) });
  scope.close();
}

function neverCalled(): never {
  throw new Error("the decoder must not call imports in a worker");
}

function post(message: FromWorker, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}
