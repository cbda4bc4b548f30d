// The guard: apostrophes that keep a spreadsheet from reading part of a text as a formula.
//
// Some readers split a comma-separated file at semicolons or tabs: in countries with a decimal comma, or because an import
// dialog says so. Quotes are then inside cells, where they protect nothing. So a cell may begin at the beginning of a
// text, after any comma, semicolon or tab in it, and after any of its line breaks. No cell may begin with = + - @ (or their
// full-width forms), with a tab or with a carriage return. Quotes and invisible characters before them do not count,
// because importers remove them. A cell that would begin so gets an apostrophe.
//
// A position that looks guarded already gets another apostrophe, so `guarded` can be undone: remove one apostrophe
// at each position.

/** The characters that importers may remove at the beginning of a cell, except those that end a cell or a line. */
const dropped = String.raw`(?:(?![\t\r\n])[\s"\p{Cc}\p{Cf}])*`;

/** The characters with which no cell may begin. A carriage return before a line feed ends a line. */
const unsafe = String.raw`(?:[=+\-@\uff1d\uff0b\uff0d\uff20\t]|\r(?!\n))`;

/** The positions in a text where an unsafe cell would begin. */
const positions = new RegExp(
  `^(?='*${dropped}(?:${unsafe}|[\\r\\n]))|(?<=[,;\\t\\r\\n])(?='*${dropped}${unsafe})`,
  "gu",
);

/** A separator at the end of a text: at the end of a line, its cell would extend into the next line. */
const openEnd = new RegExp(`(?<=[,;\\t\\r\\n])(?='*${dropped}$)`, "u");

/** Inserts an apostrophe wherever an unsafe cell would begin. */
export function guarded(text: string): string {
  return text.replace(positions, "'");
}

/** Guards the last text of a line, which a quote and a line break follow. */
export function guardedAtEnd(text: string): string {
  return guarded(text.replace(openEnd, "'"));
}
