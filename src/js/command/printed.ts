// What a command prints: tables of text, and texts of the service that cannot control a terminal.

/** A table: texts on the left, numbers on the right. */
export function tableText(rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((value) => printable(String(value))));
  const widths = (cells[0] ?? []).map((_, at) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[at] ?? "")), 0),
  );
  const isNumber = (cells[0] ?? []).map((_, at) => rows.some((row) => typeof row[at] === "number"));
  const lines = cells.map((row) =>
    row
      .map((cell, at) => {
        const space = " ".repeat((widths[at] ?? 0) - widthOf(cell));
        return isNumber[at] ? space + cell : cell + space;
      })
      .join("  "),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

const CLUSTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** What takes no column of a terminal, and what takes two: emoji, and East Asian scripts with their punctuation and full-width forms. */
const NONE = /^[\p{Mark}\p{Format}]+$/u;
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303e\u30fb\u30fc\uff01-\uff60\uffe0-\uffe6]/u;

/** The columns of a terminal that a text takes. */
function widthOf(text: string): number {
  const widths = Array.from(CLUSTERS.segment(text), ({ segment }) =>
    NONE.test(segment) ? 0 : WIDE.test(segment) ? 2 : 1,
  );
  return widths.reduce((sum: number, width) => sum + width, 0);
}

/** A text of the service, with escaped control characters: they could change what a terminal shows. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
