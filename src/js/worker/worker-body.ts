// A body that a worker keeps.

import { deferred } from "../host/promise.js";
import { type KeptBody, PageBody } from "./body.js";
import type { Channel, FromRequest, Receiver } from "./protocol.js";

/** A body that a worker keeps. */
export class WorkerBody implements KeptBody, Receiver {
  readonly #channel: Channel;
  readonly #bytes = deferred<PageBody>();
  /** A body that is `unwanted` is being decoded, and then dropped. */
  #state: "kept" | "decoding" | "unwanted" | "gone" = "kept";

  constructor(
    channel: Channel,
    readonly id: number,
    readonly length: number,
  ) {
    this.#channel = channel;
    channel.receivers.set(id, this);
  }

  get isThere(): boolean {
    return this.#state !== "gone";
  }

  /** Transfers its bytes to the page. */
  read(): Promise<PageBody> {
    if (this.isThere) this.#channel.post({ kind: "take", id: this.id });
    return this.#bytes.promise;
  }

  beginDecoding(): void {
    this.#state = "decoding";
  }

  /** A worker that has packed the findings no longer keeps it. */
  endDecoding(isPacked: boolean): void {
    if (!this.isThere) return;
    const isUnwanted = this.#state === "unwanted";
    this.#state = "kept";
    if (isPacked) this.lose();
    else if (isUnwanted) this.drop();
  }

  drop(): void {
    if (this.#state !== "kept") return;
    this.lose();
    this.#channel.post({ kind: "drop", id: this.id });
  }

  abandon(): void {
    if (this.#state === "decoding") this.#state = "unwanted";
    else this.drop();
  }

  receive(message: FromRequest): void {
    if (message.kind !== "taken") return;
    const { body } = message;
    if (body instanceof ArrayBuffer && body.byteLength === this.length) {
      const read = new PageBody();
      read.add(new Uint8Array(body));
      this.#bytes.resolve(read);
    }
    this.lose();
  }

  lose(): void {
    this.#state = "gone";
    this.#channel.receivers.delete(this.id);
    this.#bytes.reject(new Error("the worker has ended"));
  }
}
