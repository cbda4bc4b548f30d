/** Phrases that no text for readers has, and what to write instead. Words with a second, legitimate sense are not listed alone. */

/**
 * @typedef {object} Phrase
 * @property {RegExp} phrase
 * @property {string} write what to write instead
 */

/**
 * Phrases that no docstring, message or page has.
 * @type {Phrase[]}
 */
export const everywhere = [
  { phrase: /\bfor want of\b|\bno memory (?:is )?left\b/i, write: "out of memory" },
  { phrase: /\banew\b/i, write: "again; re-analysed" },
  { phrase: /\blimits? of time\b/i, write: "timeout" },
  { phrase: /\brandom waits?\b/i, write: "retry delay, backoff" },
  { phrase: /\b(?:without a|needs? no) receiver\b/i, write: "bound method" },
  { phrase: /\blate frames?\b/i, write: "dropped frames" },
  { phrase: /\bmeans the page\b/i, write: "falls back to" },
  { phrase: /\bin (?:its|their) place\b/i, write: "instead, fallback" },
  { phrase: /\bmodule inside\b/i, write: "inlined" },
  { phrase: /\bthere was no answer\b|\b(?:whole|complete) answer\b/i, write: "response" },
  { phrase: /\bthat very\b/i, write: "that error" },
  { phrase: /\bfor ever\b/i, write: "forever; would leak" },
  { phrase: /\bby which to\b/i, write: "compare by" },
  { phrase: /\bwhat none\b|\bof anybody\b|\bits like only\b/i, write: "name the noun" },
  { phrase: /\bcan be had\b|\bstumbl(?:e|es|ed)\b/i, write: "is available; fails" },
  { phrase: /\b(?:tell|tells|told) of\b/i, write: "report, says that" },
  { phrase: /\bis baseUrl right\b/i, write: "Check baseUrl" },
  { phrase: /\bno such (?:escape|number)\b/i, write: "invalid" },
  { phrase: /\bas the faults of\b/i, write: "simulated" },
  { phrase: /(?:^|[.:;] )So (?:do|does|did|is|are|has|have)\b/m, write: "subject, verb, object" },
];

/**
 * Phrases that no text for users has: the pages, the public types, the messages, and the demo.
 * @type {Phrase[]}
 */
export const inPublic = [
  ...everywhere,
  { phrase: /\bretriev(?:e|es|ed|ing|al|als)\b/i, write: "fetch, load, call, request" },
  { phrase: /\baddress(?:es)?\b(?! space)/i, write: "URL" },
  { phrase: /\b(?:no|an|every|each|the) answers?\b/i, write: "response" },
  { phrase: /\b(?:three|which no|an) operations?\b/i, write: "endpoint, request" },
  { phrase: /\bof (?:its|their|your|our) own\b/i, write: "your own …, separate" },
  { phrase: /(?<!WebAssembly )\bthe module\b(?!'s memory)/i, write: "the .wasm file" },
  { phrase: /\bthose of\b/i, write: "name the noun" },
  { phrase: /\bor a clear error\b/i, write: "or fails with an error that says what went wrong" },
  { phrase: /\bfails with all options\b/i, write: "prints all options" },
  { phrase: /\bunconfigured\b/i, write: "without configuration" },
  { phrase: /\ball the same\b/i, write: "still, anyway" },
];
