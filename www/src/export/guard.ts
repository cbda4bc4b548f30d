/**
 * The guard: apostrophes that keep a spreadsheet from reading part of a text as a formula.
 *
 * A file that is separated by commas is at times split at semicolons or tabs: where the comma is the decimal sign, or by
 * the reader's choice in an import dialog. Quotes then stand inside of cells, where they protect nothing, so a cell may
 * begin at the beginning of a text, after any comma, semicolon or tab in it, and after any of its line breaks. No cell may
 * begin with = + - @ (or their full-width forms), with a tab or with a return, and quotes and characters that do not show
 * count for nothing before them, as importers leave them out. Where one would, it begins with an apostrophe.
 *
 * A place that looks guarded already gets another apostrophe. So {@link guarded} can be undone: take one away at each place.
 */

/** Characters that importers may leave out at the beginning of a cell, without those that end a cell or a line. */
const dropped = String.raw`[[\s"\p{Cc}\p{Cf}]--[\t\r\n]]*`;

/** What no cell may begin with. A return that belongs to a line feed ends a line and begins no cell. */
const unsafe = String.raw`(?:[=+\-@\uff1d\uff0b\uff0d\uff20\t]|\r(?!\n))`;

/** The places in a text where an unsafe cell would begin. */
const places = new RegExp(`^(?='*${dropped}(?:${unsafe}|[\\r\\n]))|(?<=[,;\\t\\r\\n])(?='*${dropped}${unsafe})`, "gv");

/** A separator with nothing of its own after it: at the end of a line the cell that it begins would be the next line. */
const openEnd = new RegExp(`(?<=[,;\\t\\r\\n])(?='*${dropped}$)`, "v");

/** The text with an apostrophe wherever an unsafe cell would begin. */
export function guarded(text: string): string {
  return text.replace(places, "'");
}

/** The same for the last text of a line, after which a quote and a line break come. */
export function guardedAtEnd(text: string): string {
  return guarded(text.replace(openEnd, "'"));
}
