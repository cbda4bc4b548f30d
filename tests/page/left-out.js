/** The test files that an engine leaves out, each with its reason. */

/** @type {Record<string, Record<string, string>>} */
export const leftOut = {
  webkit: {
    "time-slices.test.ts": "WebKit takes many minutes for them",
  },
};

/** The test files that also run with every body decoded in a worker, because their results depend on decoded bodies. */
export const alsoInWorker = [
  "abort.test.ts",
  "columns.test.ts",
  "failures.test.ts",
  "operations.test.js",
  "untouched.test.ts",
];

/**
 * The test files that run in the pages of Firefox and WebKit in the tier of the engines only, each with its reason. The full tier leaves
 * them out.
 * @type {Record<string, string>}
 */
export const leftOutOfFull = {
  "duckdb.test.js": "it proves what another package makes of a stream",
  "memory.test.ts": "it takes long, and the memory is that of the same module in every engine",
  "time-slices.test.ts": "it takes long",
  "traps.test.ts": "it takes long, and random inputs find the same in every engine",
};
