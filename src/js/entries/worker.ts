// The worker's script: sends requests for the page, and decodes bodies with the module that the page has compiled. It needs
// no glue, because only numbers cross.

import type { Exports } from "../core/engine/engine.js";
import { orUndefined, thrownText } from "../core/host/member.js";
import { yieldNow } from "../core/host/yield-now.js";
import { isSuccess } from "../core/worker/exchange.js";
import type { FromWorker, PackingOptions, ToWorker, WorkerRequest } from "../core/worker/protocol.js";

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

/** The length of the blocks in which bodies are kept. */
const BLOCK = 1 << 18;

/** The maximum number of free blocks: as many as eight bodies of a megabyte need. */
const MOST_BLOCKS = 64;

/** How long blocks are kept after the last body, in milliseconds. */
const REST = 5_000;

/** A request, and the pieces of its body that have arrived. */
interface Request {
  readonly controller: AbortController;
  readonly pieces: Uint8Array[];
}

const scope = globalThis as unknown as WorkerScope;
/** The blocks that no body needs: memory that is new costs more than the decoding of what it holds. */
const free: ArrayBuffer[] = [];
/** Frees them after a while. */
let rest: ReturnType<typeof setTimeout> | undefined;
/** The requests whose response or body the page has not received, by their numbers. */
const requests = new Map<number, Request>();
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
      const { id, body, options, spare } = message;
      last = last.then(() => decode(id, body, options, spare));
      last.catch(fail);
      break;
    }
    case "fetch":
      void send(message.id, message.request);
      break;
    case "take": {
      const { id } = message;
      const body = bufferOf(requests.get(id)?.pieces ?? []);
      requests.delete(id);
      post({ kind: "taken", id, body }, [body]);
      break;
    }
    case "drop":
      requests.get(message.id)?.controller.abort();
      requests.delete(message.id);
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
  const request: Request = { controller: new AbortController(), pieces: [] };
  requests.set(id, request);
  const { signal } = request.controller;
  try {
    // A followed redirect could carry credentials to another origin.
    const response = await fetch(href, { ...init, method: "GET", redirect: "manual", signal });
    const { status, type, headers } = response;
    post({ kind: "head", id, status, type, headers: [...headers] });
    if (isSuccess(status)) await keep(id, request, response, limit);
    else await passOn(id, response);
  } catch (cause) {
    const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
    if (requests.delete(id)) post({ kind: "broken", id, name, message });
  }
}

/** Reads the whole body and keeps it; of a body that is too long, a little more than the limit. */
async function keep(id: number, { pieces }: Request, response: Response, limit: number): Promise<void> {
  let length = 0;
  await eachPart(response, (piece) => {
    pieces.push(piece);
    length += piece.length;
    return length <= limit;
  });
  if (requests.has(id)) post({ kind: "kept", id, length });
  else release(pieces);
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
  requests.delete(id);
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

/** Reads a body into blocks until `take` returns false; piece by piece if the host cannot. */
async function eachPart(response: Response, take: (part: Uint8Array) => boolean): Promise<void> {
  const reader = orUndefined(() => response.body?.getReader({ mode: "byob" }));
  if (reader === undefined) return eachPiece(response, take);
  let at = 0;
  for (let block = newBlock(); ; ) {
    const { value, done } = await reader.read(new Uint8Array(block, at, BLOCK - at));
    if (value === undefined) return;
    block = value.buffer;
    at += value.length;
    if (!done && at < BLOCK) continue;
    const goesOn = take(new Uint8Array(block, 0, at));
    if (done) return;
    if (!goesOn) return reader.cancel();
    block = newBlock();
    at = 0;
  }
}

function newBlock(): ArrayBuffer {
  return free.pop() ?? new ArrayBuffer(BLOCK);
}

/** Takes back the blocks of a body. */
function release(pieces: Uint8Array[]): void {
  for (const { buffer } of pieces) {
    if (buffer.byteLength === BLOCK && free.length < MOST_BLOCKS) free.push(buffer as ArrayBuffer);
  }
  clearTimeout(rest);
  if (free.length > 0) rest = setTimeout(() => free.splice(0), REST);
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
async function decode(
  id: number,
  body: ArrayBuffer | undefined,
  options: PackingOptions,
  spare: ArrayBuffer | undefined,
): Promise<void> {
  const pieces = body === undefined ? requests.get(id)?.pieces : [new Uint8Array(body)];
  const packed = pieces && (await packedFrom(pieces, options, spare));
  if (packed !== undefined && requests.delete(id)) release(pieces as Uint8Array[]);
  const transfer = [packed?.buffer, body].filter((buffer) => buffer !== undefined);
  post({ kind: "decoded", id, packed, body }, transfer);
}

async function packedFrom(
  pieces: Uint8Array[],
  { asRows, columns }: PackingOptions,
  spare: ArrayBuffer | undefined,
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
  const copy = packed === 0 ? undefined : copyOf(new Uint8Array(memory.buffer, packed, packedLength() >>> 0), spare);
  endBody();
  return copy;
}

/** Copies bytes, into a spare buffer if there is one that is large enough. A new one has room for what comes next. */
function copyOf(bytes: Uint8Array, spare: ArrayBuffer | undefined): Uint8Array<ArrayBuffer> {
  const { length } = bytes;
  const target = spare !== undefined && spare.byteLength >= length ? spare : new ArrayBuffer(length + (length >> 3));
  const copy = new Uint8Array(target, 0, length);
  copy.set(bytes);
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
