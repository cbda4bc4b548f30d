// Text of UTF-8.

let decoder: TextDecoder | undefined;

/** Decodes UTF-8. Plain jsdom has no `TextDecoder`: the package reports this when it is used, not when it is imported. */
export function decodeText(bytes: Uint8Array): string {
  decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(bytes);
}
