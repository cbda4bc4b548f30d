// The host's parser of numbers.

/**
 * Parses a JSON number. By an operator, because a page may have replaced the global `Number` by a function that uses a table in the
 * midst of a decoding.
 */
export function parseNumber(json: string): number {
  return +json;
}
