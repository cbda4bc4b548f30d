/** The bodies of partitions as bytes: made at the first request, and cached. */

import { BodyWriter } from "./body-writer.js";

/** @typedef {import("./findings.js").FindingKind} FindingKind */

/** The size of the cache in bytes, for some ten partitions of the large inspection. */
const defaultRoom = 12 * 1024 * 1024;

export class Bodies {
  #seed;
  #writer = new BodyWriter();
  #room;
  #held = 0;
  /** @type {Map<string, Uint8Array<ArrayBuffer>>} the least recently used first */
  #bodies = new Map();

  /**
   * @param {number} seed
   * @param {number} [room] the most bytes to cache
   */
  constructor(seed, room = defaultRoom) {
    this.#seed = seed;
    this.#room = room;
  }

  /** The number of cached bytes. */
  get held() {
    return this.#held;
  }

  /**
   * The body of a `PartitionFindingsResponse`.
   * @param {string} inspectionKey
   * @param {FindingKind} kind
   * @param {number} partitionIndex
   * @param {number} count
   */
  body(inspectionKey, kind, partitionIndex, count) {
    const name = [inspectionKey, kind, partitionIndex, count].join("/");
    const body =
      this.#bodies.get(name) ?? this.#writer.write({ seed: this.#seed, inspectionKey, kind, partitionIndex, count });
    this.#keep(name, body);
    return body;
  }

  /**
   * @param {string} name
   * @param {Uint8Array<ArrayBuffer>} body
   */
  #keep(name, body) {
    this.#drop(name);
    this.#bodies.set(name, body);
    this.#held += body.byteLength;
    for (const oldest of this.#bodies.keys()) {
      if (this.#held <= this.#room) {
        break;
      }
      this.#drop(oldest);
    }
  }

  /** @param {string} name */
  #drop(name) {
    this.#held -= this.#bodies.get(name)?.byteLength ?? 0;
    this.#bodies.delete(name);
  }
}
