/** Importers of CSV, which split a file as they like, and what each makes of a quote. */

type Meaning = "literal" | "open" | "close" | "escape";

interface Surroundings {
  isQuoted: boolean;
  /** Whether nothing of the cell has come yet. */
  isFresh: boolean;
  next: string;
  /** Whether the cell ends after it, at a separator or the end of a line. */
  isEnd: boolean;
}

const withinQuotes = ({ next }: Surroundings): Meaning => (next === '"' ? "escape" : "close");
const beforeQuotes = ({ isFresh }: Surroundings): Meaning => (isFresh ? "open" : "literal");

/** What an importer makes of a quote. */
const quoteRules = {
  /** It is a character like any other. */
  ignored: (): Meaning => "literal",
  /** A cell that begins with one is quoted up to the next single one; the rest of it is taken as it is. */
  spreadsheet: (at: Surroundings) => (at.isQuoted ? withinQuotes(at) : beforeQuotes(at)),
  /** A cell that begins with one is quoted up to one at which the cell can end. */
  lenient: (at: Surroundings) => {
    if (!at.isQuoted) return beforeQuotes(at);
    return at.next === '"' || at.isEnd ? withinQuotes(at) : "literal";
  },
  /** Each turns quoting on or off, wherever it stands. */
  switching: (at: Surroundings) => (at.isQuoted ? withinQuotes(at) : "open"),
};

export type QuoteRule = keyof typeof quoteRules;

export const allQuoteRules = Object.keys(quoteRules) as QuoteRule[];

interface Importer {
  separators: string;
  quotes: QuoteRule;
  /** Whether a return without a line feed ends a line. */
  endsAtReturn: boolean;
}

/** The cells that an importer makes of a file, those of all lines one after the other. */
export function importCells(text: string, { separators, quotes, endsAtReturn }: Importer): string[] {
  const cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  let isFresh = true;
  const end = () => {
    cells.push(cell);
    cell = "";
    isQuoted = false;
    isFresh = true;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (character === '"') {
      const isEnd = next === "" || separators.includes(next) || next === "\r" || next === "\n";
      const meaning: Meaning = quoteRules[quotes]({ isQuoted, isFresh, next, isEnd });
      isFresh = false;
      if (meaning === "open" || meaning === "close") {
        isQuoted = meaning === "open";
      } else {
        cell += '"';
        at += meaning === "escape" ? 1 : 0;
      }
    } else if (!isQuoted && (separators.includes(character) || character === "\n")) {
      end();
    } else if (!isQuoted && character === "\r" && (next === "\n" || endsAtReturn)) {
      end();
      at += next === "\n" ? 1 : 0;
    } else {
      cell += character;
      isFresh = false;
    }
  }
  end();
  return cells;
}
