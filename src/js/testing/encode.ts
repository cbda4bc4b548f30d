// Text as UTF-8. jsdom has no `TextEncoder`.

let encoder: TextEncoder | undefined;

/** Encodes a text; a lone surrogate becomes U+FFFD. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  if (typeof TextEncoder === "undefined") return encodeByHand(text);
  encoder ??= new TextEncoder();
  return encoder.encode(text);
}

/** Encodes a text as `TextEncoder` does. */
export function encodeByHand(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (const character of text) {
    const given = character.codePointAt(0) ?? 0;
    const code = given >= 0xd800 && given < 0xe000 ? 0xfffd : given;
    if (code < 0x80) {
      bytes.push(code);
      continue;
    }
    const following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    bytes.push(([0, 0xc0, 0xe0, 0xf0][following] ?? 0) | (code >> (6 * following)));
    for (let place = following - 1; place >= 0; place--) bytes.push(0x80 | ((code >> (6 * place)) & 0x3f));
  }
  return Uint8Array.from(bytes);
}
