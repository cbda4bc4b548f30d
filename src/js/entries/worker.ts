// The worker's script: decodes bodies with the module that the page has compiled. It needs no glue, because only
// numbers cross.

import { random } from "../host/clock.js";
import { yieldNow } from "../host/yield_now.js";
import type { InitOutput } from "../inspection_findings.js";
import type { FromWorker, ParcelOptions, ToWorker } from "../worker/workers.js";

/** The members of a worker's global object that the DOM library's types lack. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: MessageEvent<ToWorker>) => void): void;
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  close(): void;
}

type Decoder = Pick<
  InitOutput,
  "memory" | "beginBody" | "keepColumns" | "decodeMore" | "parcelStart" | "parcelLength" | "endBody"
>;

const scope = globalThis as unknown as WorkerScope;
let decoder: Promise<Decoder> | undefined;
/** Resolves when the last body is decoded. Bodies are decoded one after the other, which needs the least memory. */
let last: Promise<void> = Promise.resolve();

scope.addEventListener("message", ({ data }) => {
  switch (data[0]) {
    case "start":
      decoder ??= start(data[1]);
      decoder.then(() => post(["ready"])).catch(fail);
      break;
    case "decode": {
      const [, id, body, options] = data;
      // Read while the previous body is being decoded.
      const bytes = body instanceof Blob ? body.arrayBuffer() : Promise.resolve(body);
      last = Promise.allSettled([bytes, last]).then(([bytes]) => decode(id, body, bytes, options));
      last.catch(fail);
      break;
    }
    case "ping":
      post(["pong"]);
      break;
  }
});

post(["awake"]);

async function start(module: WebAssembly.Module): Promise<Decoder> {
  const imports: Record<string, Record<string, () => never>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] = { ...imports[from], [name]: neverCalled };
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  return exports as unknown as Decoder;
}

/** Decodes a body and posts its parcel; without a parcel, the main thread decodes the body and creates the error. */
async function decode(
  id: number,
  body: Blob | ArrayBuffer,
  read: PromiseSettledResult<ArrayBuffer>,
  options: ParcelOptions,
): Promise<void> {
  const parcel = read.status === "fulfilled" ? await parcelOf(read.value, options) : undefined;
  const returned = body instanceof Blob ? undefined : body;
  const transfer = [parcel?.buffer, returned].filter((buffer) => buffer !== undefined);
  post(["done", id, parcel, returned], transfer);
}

async function parcelOf(
  bytes: ArrayBuffer,
  { asRows, columns }: ParcelOptions,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (decoder === undefined) return undefined;
  const { memory, beginBody, keepColumns, decodeMore, parcelStart, parcelLength, endBody } = await decoder;
  const start = beginBody(bytes.byteLength + (columns?.length ?? 0), Number(asRows), random()) >>> 0;
  if (start === 0) return undefined;
  new Uint8Array(memory.buffer, start, bytes.byteLength).set(new Uint8Array(bytes));
  if (columns !== undefined) {
    new Uint8Array(memory.buffer, start + bytes.byteLength, columns.length).set(columns);
    keepColumns(bytes.byteLength);
  }
  // Yields, so that the worker can respond to pings.
  while (decodeMore() === 0) await yieldNow();
  const parcel = parcelStart() >>> 0;
  const copy = parcel === 0 ? undefined : new Uint8Array(memory.buffer, parcel, parcelLength() >>> 0).slice();
  endBody();
  return copy;
}

/** Ends the worker after an error, because the module is in an unknown state. */
function fail(cause: unknown): void {
  post(["failed", cause instanceof Error ? cause.message : String(cause)]);
  scope.close();
}

function neverCalled(): never {
  throw new Error("the decoder must not call imports in a worker");
}

function post(message: FromWorker, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}
