/** The writer of bodies: the JSON of a partition's findings as bytes, put together from pieces that are encoded once. */

import { makeRest, verbatims } from "./findings.js";

/** @typedef {import("./findings.js").FindingKind} FindingKind */
/** @typedef {import("./findings.js").Found} Found */
/** @typedef {import("./findings.js").Which} Which */
/** @typedef {import("./verbatim.js").Verbatim} Verbatim */
/** @typedef {import("./verbatim.js").Wording} Wording */

/**
 * A finding without its keys, as pieces: the comment goes between the first two, and an offset after every other but the last.
 * @typedef {object} Pattern
 * @property {Uint8Array} beforeComment
 * @property {{ piece: Uint8Array, offset: number }[]} beforeOffsets each with what it adds to the offset of its sentence
 * @property {Uint8Array} end
 */

/** Stands for the offset of a sentence in a pattern; no comment is as long. */
const anyOffset = 1_000_000_000;

/** Stands for the comment in a pattern, and how JSON has it. */
const anyComment = "\u0000";
const anyCommentInJson = JSON.stringify(anyComment).slice(1, -1);

const encoder = new TextEncoder();

export class BodyWriter {
  #bytes = new Uint8Array(1 << 20);
  #length = 0;
  /** @type {Map<string, Map<Wording, Pattern>>} */
  #patterns = new Map();
  /** @type {Map<string, Uint8Array>} texts as they stand between the quotation marks of JSON */
  #texts = new Map();

  /**
   * The body of a `PartitionFindingsResponse`.
   * @param {Which} which
   * @returns {Uint8Array<ArrayBuffer>} a copy, all by itself in its buffer
   */
  write(which) {
    this.#length = 0;
    this.#put(encoder.encode('{"Findings":['));
    for (const { about, verbatim, found } of verbatims(which)) {
      this.#putVerbatim(JSON.stringify(about.keys).slice(0, -1), verbatim, found, (wording) =>
        this.#pattern(wording, which.kind, about.writesFalse),
      );
    }
    // The comma after the last finding has to go.
    this.#length -= which.count > 0 ? 1 : 0;
    this.#put(encoder.encode('],"errors":null}'));
    return this.#bytes.slice(0, this.#length);
  }

  /**
   * @param {string} keys the beginning of each finding
   * @param {Verbatim} verbatim
   * @param {Found[]} found
   * @param {(wording: Found["wording"]) => Pattern} patternOf
   */
  #putVerbatim(keys, { between, sentences }, found, patternOf) {
    const keysAt = this.#length;
    this.#putAscii(keys);
    const keysEnd = this.#length;
    let commentAt = 0;
    let commentEnd = 0;
    for (const { wording, offset } of found) {
      const { beforeComment, beforeOffsets, end } = patternOf(wording);
      const isFirst = commentEnd === 0;
      if (!isFirst) {
        this.#repeat(keysAt, keysEnd);
      }
      this.#put(beforeComment);
      if (isFirst) {
        commentAt = this.#length;
        this.#putComment(sentences, between);
        commentEnd = this.#length;
      } else {
        this.#repeat(commentAt, commentEnd);
      }
      for (const before of beforeOffsets) {
        this.#put(before.piece);
        this.#putNumber(offset + before.offset);
      }
      this.#put(end);
    }
  }

  /**
   * @param {Verbatim["sentences"]} sentences
   * @param {string} between
   */
  #putComment(sentences, between) {
    let isFirst = true;
    for (const { wording } of sentences) {
      if (!isFirst) {
        this.#put(this.#text(between));
      }
      this.#put(this.#text(wording.text));
      isFirst = false;
    }
  }

  /** @param {Uint8Array} piece */
  #put(piece) {
    this.#makeRoom(piece.length);
    this.#bytes.set(piece, this.#length);
    this.#length += piece.length;
  }

  /** @param {string} text */
  #putAscii(text) {
    this.#makeRoom(text.length);
    encoder.encodeInto(text, this.#bytes.subarray(this.#length));
    this.#length += text.length;
  }

  /** @param {number} number not negative */
  #putNumber(number) {
    let digits = 1;
    for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) {
      digits++;
    }
    this.#makeRoom(digits);
    for (let place = this.#length + digits - 1, rest = number; place >= this.#length; place--) {
      this.#bytes[place] = 48 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    this.#length += digits;
  }

  /**
   * What was written there once more.
   * @param {number} from
   * @param {number} to
   */
  #repeat(from, to) {
    this.#makeRoom(to - from);
    this.#bytes.copyWithin(this.#length, from, to);
    this.#length += to - from;
  }

  /** @param {number} length */
  #makeRoom(length) {
    if (this.#length + length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#length + length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
  }

  /** @param {string} text */
  #text(text) {
    let bytes = this.#texts.get(text);
    if (bytes === undefined) {
      bytes = encoder.encode(JSON.stringify(text).slice(1, -1));
      this.#texts.set(text, bytes);
    }
    return bytes;
  }

  /**
   * @param {Found["wording"]} wording
   * @param {FindingKind} kind
   * @param {boolean} writesFalse
   */
  #pattern(wording, kind, writesFalse) {
    const name = `${kind} ${writesFalse}`;
    const patterns = this.#patterns.get(name) ?? new Map();
    this.#patterns.set(name, patterns);
    const pattern = patterns.get(wording) ?? makePattern(wording, kind, writesFalse);
    patterns.set(wording, pattern);
    return pattern;
  }
}

/**
 * Takes the JSON of a finding apart where comment and offsets stand.
 * @param {Found["wording"]} wording
 * @param {FindingKind} kind
 * @param {boolean} writesFalse
 * @returns {Pattern}
 */
function makePattern(wording, kind, writesFalse) {
  const rest = makeRest(wording, kind, { comment: anyComment, offset: anyOffset, writesFalse });
  const [beforeComment, afterComment] = `,${JSON.stringify(rest).slice(1)},`.split(anyCommentInJson);
  const parts = afterComment.split(/(?<="Offset":)(\d{10})/);
  const beforeOffsets = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    beforeOffsets.push({ piece: encoder.encode(parts[index]), offset: Number(parts[index + 1]) - anyOffset });
  }
  return {
    beforeComment: encoder.encode(beforeComment),
    beforeOffsets,
    end: encoder.encode(parts[parts.length - 1]),
  };
}
