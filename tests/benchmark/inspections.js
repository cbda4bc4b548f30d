/** The inspections of the service, of any size: prepared partitions are repeated with other comments. */

import { corpora } from "./corpora.js";

/** A placeholder in every comment. Each repetition overwrites it, so that comments of different partitions are distinct. */
const mark = "[00] ";

/** The placeholder in the identifiers of respondents, which begin with `R-`. */
const places = ['"Comment":"[', '"RespondentId":"'];

export class Inspections {
  /** The number of findings in a partition. */
  partitionSize;

  /** @type {{ body: Buffer, places: number[] }[]} */
  #prepared;

  /**
   * @param {object} prepared
   * @param {string} prepared.corpus the name of the corpus of its texts
   * @param {number} prepared.partitions how many partitions are prepared
   * @param {number} prepared.partitionSize how many findings each has
   */
  constructor({ corpus, partitions, partitionSize }) {
    this.partitionSize = partitionSize;
    this.#prepared = Array.from({ length: partitions }, (_, partitionIndex) =>
      prepare(corpora[corpus].findings({ partitionIndex, count: partitionSize })),
    );
  }

  /**
   * The body of a partition, the same for every inspection.
   * @param {number} index
   */
  body(index) {
    const prepared = this.#prepared[index % this.#prepared.length];
    const repetition = Math.floor(index / this.#prepared.length);
    return repetition === 0 ? prepared.body : repeat(prepared, repetition);
  }
}

/** @param {{ Comment: string }[]} made */
function prepare(made) {
  const findings = made.map((finding) => ({ ...finding, Comment: mark + finding.Comment }));
  const body = Buffer.from(JSON.stringify({ Findings: findings, errors: null }));
  return { body, places: places.flatMap((before) => placesAfter(body, before)) };
}

/**
 * @param {Buffer} body
 * @param {string} text
 */
function placesAfter(body, text) {
  /** @type {number[]} */
  const found = [];
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + 1)) {
    found.push(at + text.length);
  }
  return found;
}

/**
 * @param {{ body: Buffer, places: number[] }} prepared
 * @param {number} repetition
 */
function repeat({ body, places }, repetition) {
  const repeated = Buffer.from(body);
  const [first, second] = Buffer.from(repetition.toString(36).padStart(2, "0"));
  for (const place of places) {
    repeated[place] = first;
    repeated[place + 1] = second;
  }
  return repeated;
}
