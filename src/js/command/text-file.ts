// The text of a file that a person or a program has saved. PowerShell, Notepad and Excel may write UTF-16.

/**
 * Decodes a file: UTF-16 if it begins with a byte order mark of that, otherwise UTF-8. The text has no byte order mark.
 *
 * @param fatal whether bytes that are no text are a `TypeError`
 */
export function textOf(bytes: Uint8Array, fatal = false): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding, { fatal }).decode(bytes);
}
