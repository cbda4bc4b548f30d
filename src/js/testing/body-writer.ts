// The writer of bodies: the JSON of a partition's findings as bytes, put together from pieces that are encoded once.

import type { FindingKind } from "../table/finding.js";
import { encode } from "./body.js";
import { describeFinding, type Found, type Group, inventGroups, type Which } from "./invented-findings.js";
import type { Verbatim } from "./verbatim.js";

/** A finding without its keys, as pieces: the comment goes between the first two, and an offset after every other but the last. */
interface Pattern {
  readonly beforeComment: Uint8Array;
  /** Each with what it adds to the offset of its sentence. */
  readonly beforeOffsets: readonly { piece: Uint8Array; offset: number }[];
  readonly end: Uint8Array;
}

/** Stands for the offset of a sentence in a pattern; no comment is as long. */
const anyOffset = 1_000_000_000;

/** Stands for the comment in a pattern, and how JSON has it. */
const anyComment = "\u0000";
const anyCommentInJson = JSON.stringify(anyComment).slice(1, -1);

export class BodyWriter {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;
  readonly #patterns = new Map<string, Map<Found["wording"], Pattern>>();
  /** Texts as they stand between the quotation marks of JSON. */
  readonly #texts = new Map<string, Uint8Array>();

  /** Returns the body of a `PartitionFindingsResponse`, all by itself in its buffer. */
  write(which: Which): Uint8Array<ArrayBuffer> {
    this.#length = 0;
    this.#put(encode('{"Findings":['));
    for (const group of inventGroups(which)) this.#putGroup(group, which.kind);
    // The comma after the last finding has to go.
    this.#length -= which.count > 0 ? 1 : 0;
    this.#put(encode('],"errors":null}'));
    return this.#bytes.slice(0, this.#length);
  }

  #putGroup({ about, verbatim, found }: Group, kind: FindingKind): void {
    const keysAt = this.#length;
    this.#put(encode(JSON.stringify(about.keys).slice(0, -1)));
    const keysEnd = this.#length;
    let commentAt = 0;
    let commentEnd = 0;
    for (const { wording, offset } of found) {
      const { beforeComment, beforeOffsets, end } = this.#pattern(wording, kind, about.writesFalse);
      const isFirst = commentEnd === 0;
      if (!isFirst) this.#repeat(keysAt, keysEnd);
      this.#put(beforeComment);
      if (isFirst) {
        commentAt = this.#length;
        this.#putComment(verbatim);
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

  #putComment({ between, sentences }: Verbatim): void {
    let isFirst = true;
    for (const { wording } of sentences) {
      if (!isFirst) this.#put(this.#encoded(between));
      this.#put(this.#encoded(wording.text));
      isFirst = false;
    }
  }

  #put(piece: Uint8Array): void {
    this.#makeRoom(piece.length);
    this.#bytes.set(piece, this.#length);
    this.#length += piece.length;
  }

  /** @param number not negative */
  #putNumber(number: number): void {
    let digits = 1;
    for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) digits++;
    this.#makeRoom(digits);
    for (let place = this.#length + digits - 1, rest = number; place >= this.#length; place--) {
      this.#bytes[place] = 48 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    this.#length += digits;
  }

  /** Puts once more what was written between two places. */
  #repeat(from: number, to: number): void {
    this.#makeRoom(to - from);
    this.#bytes.copyWithin(this.#length, from, to);
    this.#length += to - from;
  }

  #makeRoom(length: number): void {
    if (this.#length + length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#length + length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
  }

  /** Returns a text of the vocabulary as it stands between the quotation marks of JSON. */
  #encoded(text: string): Uint8Array {
    let bytes = this.#texts.get(text);
    if (bytes === undefined) {
      bytes = encode(JSON.stringify(text).slice(1, -1));
      this.#texts.set(text, bytes);
    }
    return bytes;
  }

  #pattern(wording: Found["wording"], kind: FindingKind, writesFalse: boolean): Pattern {
    const name = `${kind} ${writesFalse}`;
    const patterns = this.#patterns.get(name) ?? new Map<Found["wording"], Pattern>();
    this.#patterns.set(name, patterns);
    const pattern = patterns.get(wording) ?? makePattern(wording, kind, writesFalse);
    patterns.set(wording, pattern);
    return pattern;
  }
}

/** Takes the JSON of a finding apart where comment and offsets stand. */
function makePattern(wording: Found["wording"], kind: FindingKind, writesFalse: boolean): Pattern {
  const finding = describeFinding(wording, kind, { comment: anyComment, offset: anyOffset, writesFalse });
  const [beforeComment = "", afterComment = ""] = `,${JSON.stringify(finding).slice(1)},`.split(anyCommentInJson);
  const parts = afterComment.split(/(?<="Offset":)(\d{10})/);
  const beforeOffsets = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    beforeOffsets.push({ piece: encode(parts[index]), offset: Number(parts[index + 1]) - anyOffset });
  }
  return { beforeComment: encode(beforeComment), beforeOffsets, end: encode(parts[parts.length - 1]) };
}
