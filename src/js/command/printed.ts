// What a command prints: tables of text, and texts of the service that cannot control a terminal.

/** A table: texts on the left, numbers on the right. */
export function tableText(rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((value) => printable(String(value))));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const isNumber = (cells[0] ?? []).map((_, column) => rows.some((row) => typeof row[column] === "number"));
  const lines = cells.map((row) =>
    row.map((cell, at) => (isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0))).join("  "),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

/** A text of the service, with escaped control characters: they could change what a terminal shows. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
