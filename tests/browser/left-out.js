/** The test files that an engine leaves out, each with its reason. */

/** @type {Record<string, Record<string, string>>} */
export const leftOut = {
  webkit: {
    "stack.test.js": "WebKit takes many minutes for them; a shorter test of an exhausted stack is in traps.test.js",
    "time-slices.test.js": "WebKit takes many minutes for them",
  },
};

/** The test files that run in Firefox and WebKit in the tier of the engines only, each with its reason. The full tier leaves them out. */
export const leftOutOfFull = {
  "duckdb.test.js": "it proves what another package makes of a stream",
  "memory.test.js": "it takes long, and the memory is that of the same module in every engine",
  "stack.test.js": "it takes long",
  "time-slices.test.js": "it takes long",
  "traps.test.js": "it takes long, and random inputs find the same in every engine",
};
