/** The test files that an engine leaves out, each with its reason. */

/** @type {Record<string, Record<string, string>>} */
export const leftOut = {
  webkit: {
    "stack.test.js": "WebKit takes many minutes for them; a shorter test of an exhausted stack is in traps.test.js",
    "time-slices.test.js": "WebKit takes many minutes for them",
  },
};
