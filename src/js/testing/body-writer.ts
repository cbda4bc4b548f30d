// Writes the JSON of a partition's findings as bytes, from pieces that are encoded once.

import type { FindingKind } from "../table/finding.js";
import { encode } from "./body.js";
import { describeFinding, type Found, type Group, inventGroups, type Which } from "./invented-findings.js";
import type { Verbatim } from "./verbatim.js";

/** The JSON of a finding after its keys, cut where the comment and the offsets of its texts go. */
interface Pattern {
  readonly beforeComment: Uint8Array;
  /** The pieces before the offsets, and the number to add to the offset of the sentence. */
  readonly beforeOffsets: readonly { piece: Uint8Array; offset: number }[];
  readonly end: Uint8Array;
}

/** Stands for the offset of a sentence in a pattern. No comment is that long. */
const anyOffset = 1_000_000_000;

/** Stands for the comment in a pattern, as text and in JSON. */
const anyComment = "\u0000";
const anyCommentInJson = JSON.stringify(anyComment).slice(1, -1);

export class BodyWriter {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;
  readonly #patterns = new Map<string, Map<Found["wording"], Pattern>>();
  /** Texts in JSON, without the quotation marks. */
  readonly #texts = new Map<string, Uint8Array>();

  /** Returns the body of a `PartitionFindingsResponse`, in a separate buffer. */
  write(which: Which): Uint8Array<ArrayBuffer> {
    this.#length = 0;
    this.#put(encode('{"Findings":['));
    for (const group of inventGroups(which)) this.#putGroup(group, which.kind);
    // Removes the comma after the last finding.
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

  /** Copies the bytes between two positions to the end. */
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

  /** Returns a text of the vocabulary in JSON, without the quotation marks. */
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

/** Cuts the JSON of a finding at its comment and its offsets. */
function makePattern(wording: Found["wording"], kind: FindingKind, writesFalse: boolean): Pattern {
  const finding = describeFinding(wording, kind, { comment: anyComment, offset: anyOffset, writesFalse });
  const [beforeComment = "", afterComment = ""] = `,${JSON.stringify(finding).slice(1)},`.split(anyCommentInJson);
  const parts = afterComment.split(/(?<="Offset":)(\d{10})/);
  const beforeOffsets = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    beforeOffsets.push({ piece: encode(parts[index] ?? ""), offset: Number(parts[index + 1]) - anyOffset });
  }
  return { beforeComment: encode(beforeComment), beforeOffsets, end: encode(parts.at(-1) ?? "") };
}
